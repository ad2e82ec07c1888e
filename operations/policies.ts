import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import {
  type EarlyRead,
  type Entity,
  isReadAlone,
  isValue,
  type Link,
  readsOf,
} from '../src/schema/reads.ts';

type Field = GraphQLField<unknown, unknown>;

/** For each member of an object's key: the argument (with a `$`) or the sibling field with its value. */
type Key = Readonly<Record<string, string>>;

const fieldsOf = (type: GraphQLObjectType): readonly Field[] => Object.values(type.getFields());

const isList = ({ type }: Field): boolean => isListType(getNullableType(type));

const has = (type: GraphQLObjectType, name: string): boolean => name in type.getFields();

const literal = (key: Key): string =>
  `{ ${Object.entries(key)
    .map(([member, from]) => `${member}: '${from}'`)
    .join(', ')} }`;

/** The field by which a parent of this type shows one of its identifiers; empty if it shows it by none. */
const shownAs = (type: GraphQLObjectType, entity: Entity | undefined, name: string): string => {
  const field = name === entity?.id ? 'id' : name;
  return has(type, field) ? field : '';
};

/** The members of an entity's key that its fields show, each with its name as an identifier; its own comes first. */
const membersOf = (type: GraphQLObjectType, { parameters, id }: Entity) =>
  parameters
    .toReversed()
    .map((name) => [name === id ? 'id' : name, name] as const)
    .filter(([member]) => has(type, member));

/** The key of the object that an early read leads to. */
const keyOfRead = (
  { ids, entity }: EarlyRead & { readonly entity: Entity },
  type: GraphQLObjectType,
  from: GraphQLObjectType,
  parent: Entity | undefined,
): Key | undefined => {
  const sources = new Map(ids);
  const members = membersOf(type, entity).map(([member, name]) => {
    const source = sources.get(name);
    if (source?.from === 'argument') return [member, `$${source.name}`];
    return [member, source?.from === 'parent' ? shownAs(from, parent, source.name) : ''];
  });
  return members.some(([, from]) => from === '') ? undefined : Object.fromEntries(members);
};

/** The key of the object that a link leads to. */
const keyOfLink = ({ entity, by }: Link, type: GraphQLObjectType): Key =>
  entity
    ? Object.fromEntries(
        membersOf(type, entity).map(([member]) => [member, member === 'id' ? by : member]),
      )
    : { id: by };

/**
 * The module of the client package with the policies for Apollo's `InMemoryCache`: lists are replaced, an object without an
 * identity is merged or belongs to its list, and a field that leads to an object finds it by its key.
 */
export const policiesModule = (schema: GraphQLSchema): string => {
  const reads = readsOf(schema);
  const payloads = new Set(
    Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ type }) =>
      getNamedType(type),
    ),
  );
  const types = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(
      (type) =>
        !type.name.startsWith('__') && !payloads.has(type) && type !== schema.getMutationType(),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const single = new Set(
    types.flatMap((type) =>
      fieldsOf(type)
        .filter((field) => !isList(field))
        .map((field) => getNamedType(field.type).name),
    ),
  );
  // A type of a union is where the union is.
  for (const type of types) {
    for (const field of fieldsOf(type).filter((each) => !isList(each))) {
      const of = getNamedType(field.type);
      if ('getTypes' in of) for (const each of of.getTypes()) single.add(each.name);
    }
  }

  const policyOf = (type: GraphQLObjectType, field: Field): string | undefined => {
    const of = getNamedType(field.type);
    if (!isCompositeType(of)) return undefined;
    if (isList(field)) return 'list';
    const read = reads.readOf(type.name, field.name);
    if (!read || !isObjectType(of) || isValue(of)) return undefined;
    const { entity } = read;
    let key: Key | undefined;
    if (read.kind === 'link') key = keyOfLink(read, of);
    else if (entity) key = keyOfRead({ ...read, entity }, of, type, reads.entityOf(type.name));
    return key && `to('${of.name}', ${literal(key)})`;
  };

  const lines = types.map((type) => {
    const entity = reads.entityOf(type.name);
    const policies = fieldsOf(type).flatMap((field) => {
      const policy = policyOf(type, field);
      return policy === undefined ? [] : [`      ${field.name}: ${policy},`];
    });
    const kind = single.has(type.name) ? 'part' : 'item';
    const isPart = entity && !isReadAlone(type) && !entity.read.isList;
    const keyFields = isPart ? entity : undefined;
    const own = [
      ...(isValue(type) ? [`    ...${kind},`] : []),
      ...(keyFields
        ? [
            `    keyFields: [${keyFields.parameters
              .slice(0, -1)
              .map((name) => `'${name}', `)
              .join('')}'id'],`,
          ]
        : []),
      ...(policies.length > 0 ? ['    fields: {', ...policies, '    },'] : []),
    ];
    if (own.length === 0) return `  ${type.name}: {},`;
    if (own.length === 1 && isValue(type)) return `  ${type.name}: ${kind},`;
    return `  ${type.name}: {\n${own.join('\n')}\n  },`;
  });

  return `// Written by \`npm run generate\` from the schema.
import { item, list, part, to } from './policy.ts';

/**
 * Policies for Apollo's \`InMemoryCache\`. Types without \`keyFields\` are identified by their \`id\`; for a tile, select both
 * \`dashboardId\` and \`id\`.
 */
export const typePolicies = {
${lines.join('\n')}
} as const;
`;
};
