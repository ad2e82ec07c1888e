import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, it } from 'vitest';

const read = (path: string): GraphQLSchema =>
  buildSchema(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** The fields, members or values of a type. */
const partsOf = (type: GraphQLNamedType): readonly Described[] => {
  if (isEnumType(type)) return type.getValues();
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  return hasFields ? Object.values(type.getFields()) : [];
};

/** The types of the documented interfaces with their fields, members or values: a type a line. */
const documented = new Map(
  readFileSync(new URL('documented.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([type = '', ...names]) => [type, new Set(names)]),
);

/** What the gateway has made itself: no service is said to have it. */
const ofTheGateway = [
  ...['Alert.phase', 'AlertFilter.phaseIn', 'AlertPhase'],
  ...['Organization.pipes', 'Organization.serviceCount', 'OrganizationPipes'],
  ...['Pipe.availableCommands', 'Pipe.phase', 'PipeCommand', 'PipeFilter.phaseIn', 'PipePhase'],
  ...['Service.phase', 'ServiceFilter', 'ServicePhase'],
  'Subscription',
  'UnreadService',
  'UserErrorCode.SERVICE_NOT_RUNNING',
  'UserErrorCode.WOULD_LOSE_DATA',
];

const isTold = ({ description }: Described): boolean =>
  /not in the documented interfaces/i.test((description ?? '').replaceAll(/\s+/g, ' '));

it('all types and fields that the documented interfaces lack say so, but for those of the gateway itself', () => {
  const types = Object.values(read('schema.graphql').getTypeMap());
  const own = types.filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type));
  const added = own.flatMap((type) => {
    const names = documented.get(type.name);
    if (!names) return [{ at: type.name, described: type }];
    return partsOf(type)
      .filter(({ name }) => !names.has(name))
      .map((part) => ({ at: `${type.name}.${part.name}`, described: part }));
  });
  expect(added.length).toBeGreaterThan(100);
  const untold = added.filter(({ described }) => !isTold(described));
  expect(untold.map(({ at }) => at).sort()).toEqual(ofTheGateway);
});
