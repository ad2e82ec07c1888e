import { type GraphQLSchema, isObjectType } from 'graphql';
import { readsOf } from './reads.ts';

/**
 * The coordinates of the fields that do not work with this gateway, because their operations are missing or its profiles do
 * not have them; if mutations are switched off, these include every mutation. An entity's record is missing only if both its
 * own read and its list are. A field that leads to an entity works without the record, unless only a list has the entity.
 */
export const unavailableFieldsOf = (
  schema: GraphQLSchema,
  operations: ReadonlySet<string>,
  profiles: readonly string[],
  mutations: boolean,
): readonly string[] => {
  const reads = readsOf(schema);
  const isMissing = (typeName: string, name: string): boolean => {
    const read = reads.readOf(typeName, name);
    if (read?.kind === 'read' && read.profiles.length > 0) {
      if (!read.profiles.some((profile) => profiles.includes(profile))) return true;
    }
    if (read) {
      return (!read.entity || read.entity.read.isList) && operations.has(read.operation.name);
    }
    const entity = reads.entityOf(typeName);
    // What only a list has may come in the payload of a mutation too.
    if (!entity || entity.read.isList || reads.isWithoutRecord(entity, name)) return false;
    return operations.has(entity.read.name) && operations.has(entity.list.name);
  };
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.keys(type.getFields())
        .filter((name) => {
          if (type !== schema.getMutationType()) return isMissing(type.name, name);
          const write = reads.writeOf(name);
          return !mutations || (write !== undefined && operations.has(write.name));
        })
        .map((name) => `${type.name}.${name}`),
    );
};
