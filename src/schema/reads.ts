import {
  type ArgumentNode,
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
} from 'graphql';
import { serviceIdentifiers } from '../upstream/interface.ts';
import { type OperationFacts, operationFacts } from '../upstream/operation-facts.ts';

/*
 * The directives of the SDL, which say what is read and written for fields and types. The look-ahead,
 * `Gateway.unavailableFields`, and the generators of operations and of client policies all use this file.
 */

/** The schema that clients see does not define these directives. */
export const directiveNames: readonly string[] = [
  'entity',
  'read',
  'link',
  'write',
  'value',
  'secret',
  'personal',
];

/** A fault of the SDL in schema/. The gateway does not start. */
export class SchemaError extends Error {}

/** Where the value of an identifier comes from. */
export interface Source {
  readonly from: 'parent' | 'argument';
  readonly name: string;
}

/** A type whose objects can be read by their identifiers. */
export interface Entity {
  readonly typeName: string;
  /** The read of one object, or of what holds it: another object's record, or the list. */
  readonly read: OperationFacts;
  readonly list: OperationFacts;
  /** The names of its identifiers; the object's own comes last. */
  readonly parameters: readonly string[];
  /** The name of its own identifier. */
  readonly id: string;
}

/** A field with a read of its own. */
interface Reading {
  readonly operation: OperationFacts;
  /** The entity that the field leads to; undefined for a list, and for a type without `@entity`. */
  readonly entity: Entity | undefined;
}

export interface EarlyRead extends Reading {
  readonly kind: 'read';
  /** The operations that are called for each item. */
  readonly each: readonly OperationFacts[];
  /** The identifiers of the operation, or of the entity, each with its source. */
  readonly ids: readonly (readonly [name: string, source: Source])[];
  /** The profiles that have the field, if not all that have the operation do. */
  readonly profiles: readonly string[];
}

export interface Link extends Reading {
  readonly kind: 'link';
  /** The field of the parent with the identifier. */
  readonly by: string;
}

/** The directives of one schema. */
export interface SchemaReads {
  entityOf(typeName: string): Entity | undefined;
  readOf(typeName: string, fieldName: string): EarlyRead | Link | undefined;
  /** The first read of a field that leads to objects of this type. */
  leadingTo(typeName: string): OperationFacts | undefined;
  /** The operation of a mutation. */
  writeOf(fieldName: string): OperationFacts | undefined;
  /** Whether the field needs no record of its entity: it is an identifier, or has a read of its own. */
  isWithoutRecord(entity: Entity, fieldName: string): boolean;
}

type Field = GraphQLField<unknown, unknown>;

type Directive = ConstDirectiveNode | undefined;

/** A type, field, argument, or member of an input. */
interface Marked {
  readonly astNode?:
    | { readonly directives?: readonly ConstDirectiveNode[] | undefined }
    | null
    | undefined;
}

const directiveOf = ({ astNode }: Marked, name: string): Directive =>
  astNode?.directives?.find((directive) => directive.name.value === name);

const valuesOf = ({ value }: ArgumentNode): readonly string[] => {
  const nodes = value.kind === Kind.LIST ? value.values : [value];
  return nodes.flatMap((node) => (node.kind === Kind.STRING ? [node.value] : []));
};

/** The texts of an argument, which may be a list. */
const textsOf = (directive: Directive, name: string): readonly string[] =>
  directive?.arguments?.filter((argument) => argument.name.value === name).flatMap(valuesOf) ?? [];

const textOf = (directive: Directive, name: string): string | undefined =>
  textsOf(directive, name)[0];

const isList = ({ type }: Field): boolean => isListType(getNullableType(type));

export const isValue = (type: GraphQLObjectType): boolean =>
  directiveOf(type, 'value') !== undefined;

/** Whether an operation reads one object of the type, rather than the record or the list that holds it. */
export const isReadAlone = (type: GraphQLObjectType): boolean => {
  const directive = directiveOf(type, 'entity');
  return directive !== undefined && textOf(directive, 'id') === undefined;
};

export const isSecret = (field: Marked): boolean => directiveOf(field, 'secret') !== undefined;

export const isPersonal = (marked: Marked): boolean =>
  directiveOf(marked, 'personal') !== undefined;

/** A directive of a field that names an operation, in the SDL's words. */
interface Mark {
  readonly kind: 'read' | 'link' | 'write';
  readonly name: string;
  readonly each: readonly string[];
  readonly ids: readonly string[];
  readonly by: string;
  readonly profiles: readonly string[];
}

const kinds = ['read', 'link', 'write'] as const;

const marksOf = (field: Field): readonly Mark[] =>
  kinds.flatMap((kind) => {
    const directive = directiveOf(field, kind);
    if (!directive) return [];
    const [name = '', by = ''] = [textOf(directive, 'operation'), textOf(directive, 'by')];
    const of = (argument: string) => textsOf(directive, argument);
    return [{ kind, name, by, each: of('each'), ids: of('ids'), profiles: of('profiles') }];
  });

/** The kind and the operation of a field's directive. */
export interface FieldOperation {
  readonly kind: Mark['kind'];
  readonly operation: OperationFacts;
  /** Whether operations are called for each item of the answer. */
  readonly hasCallsForEach: boolean;
  /** The profiles that have the field; none if all have it. */
  readonly profiles: readonly string[];
  /** Whether fewer profiles have the field than its operation. */
  readonly isOfFewer: boolean;
}

export const markOf = (field: Field): FieldOperation | undefined => {
  const [mark] = marksOf(field);
  const operation = mark && operationFacts.get(mark.name);
  if (!operation) return undefined;
  const isOfFewer = mark.profiles.length > 0;
  const profiles = isOfFewer ? mark.profiles : operation.profiles;
  return { kind: mark.kind, operation, hasCallsForEach: mark.each.length > 0, profiles, isOfFewer };
};

/** A type or field by its name and the file that defines it, for errors. */
export const placeOf = (type: GraphQLObjectType, field?: Field): string => {
  const file = (field ?? type).astNode?.loc?.source.name ?? 'schema/';
  return `${type.name}${field ? `.${field.name}` : ''} in ${file}`;
};

const source = /^(\w+) = (parent|argument)\.(\w+)$/;

/** Reads the directives. Throws for the first name that does not exist. */
class DirectiveReader {
  readonly #types: readonly GraphQLObjectType[];
  readonly entities = new Map<string, Entity>();
  readonly reads = new Map<string, EarlyRead | Link>();
  readonly writes = new Map<string, OperationFacts>();
  readonly leading = new Map<string, OperationFacts>();

  constructor(schema: GraphQLSchema) {
    this.#types = Object.values(schema.getTypeMap()).filter(isObjectType);
    for (const type of this.#types) this.#readEntity(type);
    for (const [type, field] of this.#fields()) {
      const [mark, other] = marksOf(field);
      if (!mark) continue;
      const place = placeOf(type, field);
      if (other) throw new SchemaError(`${place} has both @${mark.kind} and @${other.kind}.`);
      if (mark.kind === 'write') {
        this.writes.set(field.name, this.#operation(place, mark.name, 'write'));
      } else this.#readField(type, field, mark);
    }
  }

  #fields(): readonly (readonly [GraphQLObjectType, Field])[] {
    return this.#types.flatMap((type) =>
      Object.values(type.getFields()).map((field) => [type, field] as const),
    );
  }

  #operation(place: string, name: string | undefined, kind: OperationFacts['kind']) {
    const operation = name === undefined ? undefined : operationFacts.get(name);
    if (operation?.kind === kind) return operation;
    throw new SchemaError(`${place} names ${name}, which is no ${kind} of src/upstream/.`);
  }

  #readEntity(type: GraphQLObjectType): void {
    const directive = directiveOf(type, 'entity');
    if (!directive) return;
    const place = placeOf(type);
    const list = this.#operation(place, textOf(directive, 'list'), 'read');
    const named = textOf(directive, 'read');
    const read = named === undefined ? list : this.#operation(place, named, 'read');
    const inner = textOf(directive, 'id');
    if (read.isList && inner === undefined) {
      throw new SchemaError(`${place} is read by a list, and so @entity must name its id.`);
    }
    const parameters = inner === undefined ? read.parameters : [...read.parameters, inner];
    const lacking = list.parameters.find((name) => !parameters.includes(name));
    if (!list.isList || lacking !== undefined) {
      const fault = lacking === undefined ? 'is no list' : `needs ${lacking}`;
      throw new SchemaError(`${place} names ${list.name} as its list, which ${fault}.`);
    }
    const id = parameters.at(-1) ?? '';
    this.entities.set(type.name, { typeName: type.name, read, list, parameters, id });
  }

  #readField(type: GraphQLObjectType, field: Field, mark: Mark): void {
    const name = `${type.name}.${field.name}`;
    const place = placeOf(type, field);
    const operation = this.#operation(place, mark.name, 'read');
    const entity = isList(field) ? undefined : this.entities.get(getNamedType(field.type).name);
    if (entity && operation !== entity.read) {
      const { typeName, read: own } = entity;
      throw new SchemaError(`${place} must name ${own.name}, which reads one ${typeName}.`);
    }
    if (mark.kind === 'link') {
      const { by } = mark;
      if (!type.getFields()[by]) {
        throw new SchemaError(`${place} follows ${by}, which is no field of ${type.name}.`);
      }
      this.reads.set(name, { kind: 'link', operation, entity, by });
      return;
    }
    const { profiles } = mark;
    const each = mark.each.map((other) => this.#operation(place, other, 'read'));
    const ids = this.#idsOf(type, field, entity?.parameters ?? operation.parameters, mark.ids);
    this.reads.set(name, { kind: 'read', operation, entity, each, ids, profiles });
    const { name: of } = getNamedType(field.type);
    if (!this.leading.has(of)) this.leading.set(of, operation);
  }

  /** The identifiers that objects of a type have. Those of observability may be below a service. */
  #shownBy({ name }: GraphQLObjectType): readonly string[] {
    const entity = this.entities.get(name);
    if (!entity) return [];
    const below = entity.read.upstream === 'observability' ? serviceIdentifiers : [];
    return [...below, ...entity.parameters];
  }

  #idsOf(
    type: GraphQLObjectType,
    field: Field,
    parameters: readonly string[],
    texts: readonly string[],
  ): EarlyRead['ids'] {
    const place = placeOf(type, field);
    const own = this.#shownBy(type);
    const hasArgument = (name: string): boolean => field.args.some((arg) => arg.name === name);
    const named = new Map<string, Source>();
    for (const text of texts) {
      const [, parameter = '', from, name = ''] = source.exec(text) ?? [];
      const isKnown =
        (from === 'parent' && own.includes(name)) || (from === 'argument' && hasArgument(name));
      if (!isKnown || !parameters.includes(parameter)) {
        throw new SchemaError(`${place} has no identifier as "${text}" says.`);
      }
      named.set(parameter, { from: from as Source['from'], name });
    }
    const found = (name: string): Source | undefined => {
      if (own.includes(name)) return { from: 'parent', name };
      if (hasArgument(name)) return { from: 'argument', name };
      return name === parameters.at(-1) && hasArgument('id')
        ? { from: 'argument', name: 'id' }
        : undefined;
    };
    return parameters.map((name) => {
      const from = named.get(name) ?? found(name);
      if (from) return [name, from];
      throw new SchemaError(`${place} has neither parent nor argument with ${name}.`);
    });
  }
}

/** Fields of every entity that its identifiers provide. */
const withoutRecord: readonly string[] = ['__typename', 'id', 'nodeId'];

const known = new WeakMap<GraphQLSchema, SchemaReads>();

/** The directives of a schema. The first call reads them, and throws an error that says which name is wrong. */
export const readsOf = (schema: GraphQLSchema): SchemaReads => {
  const made = known.get(schema);
  if (made) return made;
  const { entities, reads, writes, leading } = new DirectiveReader(schema);
  const result: SchemaReads = {
    entityOf: (typeName) => entities.get(typeName),
    readOf: (typeName, fieldName) => reads.get(`${typeName}.${fieldName}`),
    leadingTo: (typeName) => leading.get(typeName),
    writeOf: (fieldName) => writes.get(fieldName),
    isWithoutRecord: ({ typeName, parameters }, fieldName) =>
      withoutRecord.includes(fieldName) ||
      parameters.includes(fieldName) ||
      reads.get(`${typeName}.${fieldName}`)?.kind === 'read',
  };
  known.set(schema, result);
  return result;
};
