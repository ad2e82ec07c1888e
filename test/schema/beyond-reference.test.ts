import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
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
  /beyond the reference|reference lacks/i.test((description ?? '').replaceAll(/\s+/g, ' '));

it('all types and fields since 0.1.0 say that the reference lacks them, but for those of the gateway itself', () => {
  const before = read('releases/0.1.0.graphql');
  const added = Object.values(read('schema.graphql').getTypeMap()).flatMap((type) => {
    const known = before.getType(type.name);
    if (!known) return [{ at: type.name, described: type }];
    const names = new Set(partsOf(known).map(({ name }) => name));
    return partsOf(type)
      .filter(({ name }) => !names.has(name))
      .map((part) => ({ at: `${type.name}.${part.name}`, described: part }));
  });
  expect(added.length).toBeGreaterThan(100);
  const untold = added.filter(({ described }) => !isTold(described));
  expect(untold.map(({ at }) => at).sort()).toEqual(ofTheGateway);
});
