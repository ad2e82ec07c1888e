import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  parse,
  print,
  separateOperations,
  validate,
} from 'graphql';
import { isReadAlone, isSecret, markOf } from '../src/schema/reads.ts';

type Field = GraphQLField<unknown, unknown>;

/*
 * The operations of operations/, written from the schema: from its types, and from what its directives say of reads and
 * secrets. What the schema does not say stands in these two lists.
 */

/** The relations that a list selects, too. Each costs one call for each item at most. */
const relationsInLists = [
  'Organization.services',
  'Dashboard.alerts',
  'Alert.dashboard',
  'Alert.tile',
];

/**
 * Types that have a fragment although they have no `id`, so that clients have a type for them. All others are selected in
 * place.
 */
const named = [
  'BackupConfiguration',
  'PipeDestination',
  'PipeSettings',
  'ServiceTag',
  'UsageCost',
  'UsageCostDay',
  'UsageCostEntity',
  'UsageCostMetrics',
  'UserError',
];

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const fieldsOf = (type: GraphQLObjectType): readonly Field[] => Object.values(type.getFields());
const isListed = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));
const hasId = (type: GraphQLCompositeType): boolean =>
  !isUnionType(type) && 'id' in type.getFields();

/** Whether the upstream answers the field with a read of its own. */
const isRelation = (field: Field): boolean => markOf(field) !== undefined;

/** Whether only some profiles have the field. Such lists have a query of their own, as relations with required arguments do. */
const isOfProfile = (field: Field): boolean => (markOf(field)?.profiles.length ?? 0) > 0;

/** Whether the field follows an identifier, and only some profiles have it. Such fields share a query: `<Type>WithLinks`. */
const isLink = (field: Field): boolean => markOf(field)?.kind === 'link' && isOfProfile(field);

const isSelected = (field: Field): boolean =>
  field.deprecationReason == null && !isSecret(field) && !isRelation(field);

/** `name`, `name { ...TypeFields }`, or `name { … }`. */
const selectionOf = ({ name, type }: Field): string => {
  const of = getNamedType(type);
  return isCompositeType(of) ? `${name} { ${partsOf(of)} }` : name;
};

const partsOf = (type: GraphQLCompositeType): string =>
  !isObjectType(type) || hasId(type) || named.includes(type.name)
    ? `...${type.name}Fields`
    : ownOf(type);

/** The fields of a type, without its relations. */
const ownOf = (type: GraphQLObjectType): string =>
  fieldsOf(type).filter(isSelected).map(selectionOf).join(' ');

/** The links of an object, of its parts and of what the links lead to. */
const linksOf = (type: GraphQLObjectType): string =>
  fieldsOf(type)
    .map((field) => {
      const of = getNamedType(field.type);
      if (!isObjectType(of) || field.args.length > 0 || isOwnObject(field)) return '';
      const links = linksOf(of);
      if (isLink(field)) return `${field.name} { ${partsOf(of)} ${links} }`;
      return links && `${field.name} { ${identifying(of)} ${links} }`;
    })
    .join(' ')
    .trim();

/** The fields by which a client identifies and shows an object. */
const identifying = (type: GraphQLObjectType): string =>
  fieldsOf(type)
    .filter(({ name }) => ['id', 'nodeId', 'organizationId', 'dashboardId', 'name'].includes(name))
    .map(({ name }) => name)
    .join(' ');

const relationOf = (field: Field): string => {
  const type = getNamedType(field.type);
  return isObjectType(type) && hasId(type) && !isListed(field.type)
    ? `${field.name} { ${identifying(type)} }`
    : selectionOf(field);
};

/** The relations that a query of the object, or of a list of objects, selects in addition to its fragment. */
const relationsOf = (type: GraphQLObjectType, inList: boolean): readonly string[] =>
  fieldsOf(type)
    .filter((field) => {
      if (!isRelation(field) || field.args.some(isRequiredArgument)) return false;
      if (inList) return relationsInLists.includes(`${type.name}.${field.name}`);
      return !isOfProfile(field) && markOf(field)?.hasCallsForEach !== true;
    })
    .map(relationOf);

/**
 * The fields of each type of an interface. A field gets an alias if an earlier type has the same name for a field of another
 * type: both may not be selected together.
 */
const aliasesOf = (types: readonly GraphQLObjectType[]): ReadonlyMap<string, string> => {
  const first = new Map<string, string>();
  const aliases = new Map<string, string>();
  for (const type of types) {
    for (const { name, type: of } of fieldsOf(type).filter(isSelected)) {
      if ((first.get(name) ?? `${of}`) === `${of}`) first.set(name, `${of}`);
      else aliases.set(`${type.name}.${name}`, type.name.toLowerCase() + capitalized(name));
    }
  }
  return aliases;
};

const fragment = (name: string, type: GraphQLCompositeType, selections: readonly string[]) =>
  `fragment ${name} on ${type.name} { ${selections.join(' ')} }`;

/** An operation for a root field, or for a relation below it. */
interface Planned {
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly name: string;
  /** The coordinate of its field. */
  readonly coordinate: string;
  readonly path: readonly [root: Field, relation?: Field];
  /** Whether it selects the object with all its links. */
  readonly withLinks?: true;
  readonly variables: readonly GraphQLArgument[];
}

/** Every operation: first those for the fields of `Query`, in the order of the SDL. */
export const operationsOf = (schema: GraphQLSchema): readonly Planned[] => {
  const root = { query: 'Query', subscription: 'Subscription', mutation: 'Mutation' } as const;
  const ofRoots = (['query', 'subscription', 'mutation'] as const).flatMap((operation) => {
    const type = schema.getType(root[operation]);
    if (!isObjectType(type)) return [];
    return fieldsOf(type).map((field): Planned => {
      const name = (operation === 'subscription' ? 'Live' : '') + capitalized(field.name);
      const coordinate = `${type.name}.${field.name}`;
      return { operation, name, coordinate, path: [field], variables: field.args };
    });
  });
  const ofRelations = ofRoots.flatMap(({ operation, path: [field] }) => {
    const type = getNamedType(field.type);
    if (operation !== 'query' || isListed(field.type) || !isObjectType(type)) return [];
    const relations = fieldsOf(type).flatMap((relation): readonly Planned[] => {
      const coordinate = `${type.name}.${relation.name}`;
      const isOwn = relation.args.some(isRequiredArgument) && !isOwnObject(relation);
      if (!isOwn && (isLink(relation) || !isOfProfile(relation))) return [];
      const variables = [...field.args, ...relation.args];
      const name = type.name + capitalized(relation.name);
      return [{ operation, name, coordinate, path: [field, relation], variables }];
    });
    if (!fieldsOf(type).some(isLink)) return relations;
    const linked: Planned = {
      ...{ operation, name: `${type.name}WithLinks`, coordinate: `Query.${field.name}` },
      ...{ path: [field], variables: field.args, withLinks: true },
    };
    return [...relations, linked];
  });
  return [...ofRoots, ...ofRelations];
};

/** Whether the field leads to an object that has an operation of its own to read it. */
const isOwnObject = ({ type }: Field): boolean => {
  const of = getNamedType(type);
  return isObjectType(of) && isReadAlone(of);
};

/** A field with its arguments, each with the variable of the same name. */
const called = ({ name, args }: Field): string => {
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return name + (given && `(${given})`);
};

/** The texts of all operations and fragments, each with the coordinate of its field or type. */
const definitionsOf = (schema: GraphQLSchema): readonly (readonly [string, string])[] => {
  const all = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const objects = all.filter(isObjectType);
  const node = all.find((type) => isInterfaceType(type) && type.name === 'Node');
  const nodes = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
  const aliases = aliasesOf(nodes);

  const fragmentsOf = (type: GraphQLObjectType): readonly string[] => {
    const own = fieldsOf(type).filter(isSelected);
    if (own.length === 0) return [];
    const isAliased = ({ name }: Field) => aliases.has(`${type.name}.${name}`);
    if (!own.some(isAliased)) return [fragment(`${type.name}Fields`, type, own.map(selectionOf))];
    const shared = own.filter((field) => !isAliased(field)).map(selectionOf);
    const others = own.filter(isAliased).map(selectionOf);
    return [
      fragment(`${type.name}Fields`, type, [`...${type.name}SharedFields`, ...others]),
      fragment(`${type.name}SharedFields`, type, shared),
    ];
  };

  const ofNode = (type: GraphQLObjectType): string => {
    const aliased = fieldsOf(type).flatMap((field) => {
      const alias = aliases.get(`${type.name}.${field.name}`);
      return alias === undefined ? [] : [`${alias}: ${selectionOf(field)}`];
    });
    if (aliased.length === 0) return `...${type.name}Fields`;
    return `...${type.name}SharedFields ... on ${type.name} { ${aliased.join(' ')} }`;
  };

  const ofRoot = ({ operation, path, withLinks }: Planned): string => {
    const [{ type }] = path;
    const of = getNamedType(type);
    if (!isObjectType(of)) return `...${of.name}Fields`;
    const [, relation] = path;
    if (relation) {
      const item = getNamedType(relation.type);
      const below = isCompositeType(item) ? ` { ${partsOf(item)} }` : '';
      // The name would be another call.
      const identifiers = identifying(of).replace(/ name$/, '');
      return `${identifiers} ${called(relation)}${below}`;
    }
    if (operation === 'mutation') return fieldsOf(of).map(selectionOf).join(' ');
    if (withLinks) return `...${of.name}Fields ${linksOf(of)}`;
    const further = operation === 'query' ? relationsOf(of, isListed(type)) : [];
    return [`...${of.name}Fields`, ...further].join(' ');
  };

  return [
    ...operationsOf(schema).map((planned) => {
      const { operation, name, variables, path } = planned;
      const declared = variables.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
      const head = `${operation} ${name}${declared && `(${declared})`}`;
      return [planned.coordinate, `${head} { ${called(path[0])} { ${ofRoot(planned)} } }`];
    }),
    ...objects.flatMap((type) => fragmentsOf(type).map((text) => [type.name, text])),
    ...all
      .filter(isUnionType)
      .map((type) => [
        type.name,
        fragment(`${type.name}Fields`, type, [
          '__typename',
          ...type.getTypes().map((each) => `... on ${each.name} { ${ownOf(each)} }`),
        ]),
      ]),
    ['Node', `fragment NodeFields on Node { __typename nodeId ${nodes.map(ofNode).join(' ')} }`],
  ].map(([coordinate = '', text = '']) => [coordinate, text] as const);
};

/** The SDL file that defines each type, and each field of a root type, by coordinates. */
const placesOf = (sdl: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const places = new Map<string, string>();
  for (const [file, text] of sdl) {
    for (const definition of parse(text).definitions) {
      if (!('name' in definition) || definition.name === undefined) continue;
      if ('fields' in definition) {
        for (const { name } of definition.fields ?? []) {
          places.set(`${definition.name.value}.${name.value}`, file);
        }
      }
      if (!definition.kind.endsWith('Extension')) places.set(definition.name.value, file);
    }
  }
  return places;
};

/**
 * The operations and fragments for a schema, by file: the name of the SDL file that defines their field or type. Fragments
 * that no operation uses are left out.
 */
export const documentsOf = (
  schema: GraphQLSchema,
  sdl: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> => {
  const places = placesOf(sdl);
  const unknown = [...relationsInLists, ...named].find((name) => !places.has(name));
  if (unknown) throw new Error(`operations/documents.ts names ${unknown}, which schema/ lacks.`);
  const definitions = definitionsOf(schema);
  const whole = parse(definitions.map(([, text]) => text).join('\n'));
  const used = new Set(
    Object.values(separateOperations(whole)).flatMap((document) =>
      document.definitions.map((each) => ('name' in each ? each.name?.value : undefined)),
    ),
  );
  const kept = whole.definitions.map((each) => 'name' in each && used.has(each.name?.value));
  const errors = validate(schema, {
    kind: Kind.DOCUMENT,
    definitions: whole.definitions.filter((_, index) => kept[index]),
  });
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const files = new Map<string, string>();
  for (const [index, [coordinate]] of definitions.entries()) {
    const definition = whole.definitions[index];
    if (!definition || !kept[index]) continue;
    const file = places.get(coordinate) ?? '';
    files.set(file, [files.get(file), print(definition)].filter(Boolean).join('\n\n'));
  }
  return new Map([...files].map(([file, text]) => [file, `${text}\n`]));
};
