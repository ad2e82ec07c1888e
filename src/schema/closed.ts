import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { isPersonal, isSecret } from './reads.ts';

/** Why a field is closed to agents; undefined if they may select it. */
const reasonOf = (
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): string | undefined => {
  if ([type, field, getNamedType(field.type)].some(isPersonal)) return 'personal data';
  return isSecret(field) ? 'a secret' : undefined;
};

function* closedIn(schema: GraphQLSchema): Generator<readonly [coordinate: string, what: string]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      for (const member of Object.values(type.getFields())) {
        if (isPersonal(member)) yield [`${type.name}.${member.name}`, 'personal data'];
      }
    }
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const what = reasonOf(type, field);
      if (what !== undefined) {
        yield [`${type.name}.${field.name}`, what];
        // A fragment on an interface could select the field of each type.
        for (const each of type.getInterfaces()) {
          if (each.getFields()[field.name]) yield [`${each.name}.${field.name}`, what];
        }
      }
      for (const argument of field.args.filter(isPersonal)) {
        yield [`${type.name}.${field.name}(${argument.name}:)`, 'personal data'];
      }
    }
  }
}

/** The fields, arguments and members of inputs that are closed to agents, by their coordinates, and what they are. */
export const closedOf = (schema: GraphQLSchema): ReadonlyMap<string, string> =>
  new Map(closedIn(schema));
