import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { markOf, placeOf, readsOf, SchemaError } from './reads.ts';

/** Finds directives that are misplaced, missing or contradict each other. `readsOf` checks that all names exist. */
function* faultsOf(schema: GraphQLSchema): Generator<string> {
  const reads = readsOf(schema);
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types.flatMap((type) =>
    Object.values(type.getFields()).map((field) => {
      const place = placeOf(type, field);
      const read = reads.readOf(type.name, field.name);
      return { type, field, place, read, of: getNamedType(field.type).name };
    }),
  );

  /** The reads of the fields that lead to each type. */
  const leading = new Map<string, Set<string>>();
  for (const { read, of } of fields) {
    // A field that leads to one entity always uses the read that `@entity` names.
    if (read?.kind !== 'read' || read.entity) continue;
    leading.set(of, (leading.get(of) ?? new Set()).add(read.operation.name));
  }

  const identified = new Map<string, string>();
  for (const type of types) {
    const { name } = type;
    const place = placeOf(type);
    const entity = reads.entityOf(name);
    if (!entity) {
      if (type.getInterfaces().some((each) => each.name === 'Node')) {
        yield `${place} implements Node, and lacks @entity.`;
      }
      continue;
    }
    if (!type.getFields().id) yield `${place} has @entity, but no field id.`;
    const other = identified.get(entity.id);
    if (other) yield `${other} and ${place} are both identified by ${entity.id}.`;
    identified.set(entity.id, name);
    const known = leading.get(name);
    if (known && !known.has(entity.list.name)) {
      yield `${place} names ${entity.list.name} as its list, but comes from ${[...known].join(', ')}.`;
    }
  }

  const queries = schema.getQueryType()?.getFields() ?? {};
  const formOf = ({ type, args }: (typeof queries)[string]): string =>
    [type, ...args.map(({ name, type: of }) => `${name}: ${of}`)].join(' ');
  for (const { type, field, place } of fields) {
    if (type !== schema.getSubscriptionType()) continue;
    const query = queries[field.name];
    const isSame = query && formOf(query) === formOf(field);
    if (!(isSame && reads.readOf('Query', field.name))) {
      yield `${place} has no field of Query with its name, type and arguments and with @read.`;
    }
  }

  for (const { type, field, place, read, of } of fields) {
    const isWrite = markOf(field)?.kind === 'write';
    if (type === schema.getMutationType()) {
      if (!isWrite) yield `${place} lacks @write.`;
    } else if (isWrite) yield `${place} has @write, and is no mutation.`;
    if (!read) continue;
    const { operation, entity } = read;
    const known = leading.get(of);
    if (read.kind === 'link') {
      if (!entity && known && !known.has(operation.name)) {
        yield `${place} names ${operation.name}, but ${of} comes from ${[...known].join(', ')}.`;
      }
      continue;
    }
    // Without an identifier of the item, the call would be the same for every item.
    const same = read.each.find(({ parameters }) =>
      parameters.every((name) => operation.parameters.includes(name)),
    );
    if (same) yield `${place} names ${same.name}, which takes no identifier of an item.`;
  }
}

/** Throws the first fault of the directives, in one sentence. */
export const checkDirectives = (schema: GraphQLSchema): void => {
  const [fault] = faultsOf(schema);
  if (fault !== undefined) throw new SchemaError(fault);
};
