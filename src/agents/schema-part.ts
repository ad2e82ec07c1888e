import {
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { type Entry, needsArguments, type OpenSchema } from './open-schema.ts';

/** The most characters of a description. */
const longestDescription = 240;

const sentenceOf = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

/** The first sentence of a description, and the values that it names. */
const toldBy = ({ description }: { readonly description?: string | null | undefined }): string => {
  const line = (description ?? '').replaceAll(/\s+/g, ' ');
  const first = sentenceOf(line);
  const at = line.indexOf('Known so far: ');
  const values = at === -1 ? '' : sentenceOf(line.slice(at));
  const told = first.includes(values) ? first : `${first} ${values}`;
  const short = told.length <= longestDescription ? told : `${told.slice(0, longestDescription)}…`;
  return JSON.stringify(short);
};

/** Of an object with more leaves than this, a part shows the telling ones only. */
const mostLeaves = 12;
const telling: readonly string[] = [
  'id',
  'name',
  'displayName',
  'state',
  'phase',
  'status',
  'type',
];

/** What tells apart the objects on the way to others. */
const naming: readonly string[] = ['id', 'name', 'displayName'];

/** Objects with as few fields, such as the page of a list, are shown with the objects in them. */
const fewFields = 6;

/** The order of objects is rarely asked for, and takes many words. */
const order = 'orderBy';

const signature = ({ field, args }: Entry): string => {
  const given = args.map(({ name, type }) => `${name}: ${type}`).join(', ');
  return `${field.name}${given && `(${given})`}: ${field.type}`;
};

/** How much is told of the fields of a type. */
interface Details {
  readonly isDescribed?: boolean;
  /** Whether values and members of their types, and of their arguments' types, are shown. */
  readonly isWhole?: boolean;
}

/**
 * Writes a part of the schema in SDL. It has the way from Query to each of its types, and what can be selected and given:
 * leaves, values of enums, members of inputs.
 */
export class SchemaPart {
  readonly #open: OpenSchema;
  readonly #withOrder: boolean;
  /** The lines of each type, by the names of its fields. */
  readonly #lines = new Map<string, Map<string, string>>();
  readonly #types = new Map<string, GraphQLNamedType>();

  /** @param withOrder whether the arguments that order objects are shown */
  constructor(open: OpenSchema, withOrder: boolean) {
    this.#open = open;
    this.#withOrder = withOrder;
  }

  /** Adds a field with its description, and what belongs to it. */
  add(entry: Entry): void {
    const { type, field } = entry;
    this.#addWay(type.name);
    this.#put(type, field.name, `${toldBy(field)}\n  ${signature(this.#shown(entry))}`);
    this.#addTypes(entry);
    this.#addTarget(entry, 1);
  }

  /** Adds all fields of a type, or its values or members. */
  addType(type: GraphQLNamedType, { isDescribed = false, isWhole = false }: Details = {}): void {
    this.#addWay(type.name);
    if (!isObjectType(type)) this.#addWhole(type);
    const entries = this.#open.entriesOf(type.name);
    for (const entry of entries) {
      const told = isDescribed ? `${toldBy(entry.field)}\n  ` : '';
      this.#put(type, entry.field.name, `${told}${signature(entry)}`);
    }
    for (const entry of isWhole ? entries : []) this.#addTypes(entry);
  }

  #put(type: GraphQLNamedType, name: string, line: string): void {
    const lines = this.#lines.get(type.name) ?? new Map<string, string>();
    this.#lines.set(type.name, lines.set(name, line));
    this.#types.set(type.name, type);
  }

  #shown(entry: Entry): Entry {
    const args = entry.args.filter(({ name }) => this.#withOrder || name !== order);
    return { ...entry, args };
  }

  /** Adds a field without its description. */
  #addPlain(entry: Entry): void {
    const { type, field } = entry;
    if (this.#lines.get(type.name)?.has(field.name)) return;
    this.#put(type, field.name, signature(this.#shown(entry)));
  }

  /** Adds the fields that lead to a type, without the members of filters. */
  #addWay(typeName: string): void {
    for (const entry of this.#open.wayTo(typeName)) {
      this.#addPlain(entry);
      const args = entry.args.filter(
        (argument) =>
          isRequiredArgument(argument) || !isInputObjectType(getNamedType(argument.type)),
      );
      this.#addTypes({ ...entry, args });
      for (const each of this.#open.entriesOf(entry.type.name)) {
        if (naming.includes(each.field.name)) this.#addPlain(each);
      }
    }
  }

  /** Adds what the types of a field and its arguments have. */
  #addTypes(entry: Entry): void {
    const { field, args } = this.#shown(entry);
    for (const each of [field, ...args]) this.#addWhole(getNamedType(each.type));
  }

  /** Adds what a type that is no object has: types of a union, values, members. */
  #addWhole(type: GraphQLNamedType): void {
    if (isUnionType(type)) for (const { name } of type.getTypes()) this.#put(type, name, name);
    if (isEnumType(type)) for (const { name } of type.getValues()) this.#put(type, name, name);
    if (isScalarType(type) && !isSpecifiedScalarType(type)) this.#put(type, '', toldBy(type));
    if (!isInputObjectType(type)) return;
    for (const member of this.#open.membersOf(type)) {
      this.#put(type, member.name, `${member.name}: ${member.type}`);
      this.#addWhole(getNamedType(member.type));
    }
  }

  /** Adds what can be selected below a field. */
  #addTarget({ field }: Entry, levels: number): void {
    const target = getNamedType(field.type);
    const free = this.#open
      .entriesOf(target.name)
      .filter((each) => !needsArguments(each) && each.field.name !== 'nodeId');
    const leaves = free.filter((each) => isLeafType(getNamedType(each.field.type)));
    const shown =
      leaves.length <= mostLeaves
        ? leaves
        : leaves.filter((each) => telling.includes(each.field.name));
    const objects =
      levels > 0 && free.length <= fewFields ? free.filter((each) => !leaves.includes(each)) : [];
    for (const each of [...shown, ...objects]) {
      this.#addPlain(each);
      this.#addTypes(each);
    }
    for (const each of objects) this.#addTarget(each, levels - 1);
  }

  #block(name: string, lines: ReadonlyMap<string, string>): string {
    const type = this.#types.get(name);
    const all = [...lines.values()];
    if (isUnionType(type)) return `union ${name} = ${all.join(' | ')}`;
    if (isScalarType(type)) return `${all.join('')} scalar ${name}`;
    if (!isObjectType(type)) {
      return `${isEnumType(type) ? 'enum' : 'input'} ${name} { ${all.join(', ')} }`;
    }
    const way = ['Query', ...this.#open.wayTo(name).map(({ field }) => field.name)].join('.');
    const more = this.#open.entriesOf(name).length - all.length;
    const rest = more > 0 ? ` (fields not shown: ${more})` : '';
    return `# ${way}${rest}\ntype ${name} {\n${all.map((line) => `  ${line}`).join('\n')}\n}`;
  }

  toString(): string {
    return [...this.#lines].map(([name, lines]) => this.#block(name, lines)).join('\n');
  }
}
