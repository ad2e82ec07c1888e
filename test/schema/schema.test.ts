import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { expect, it } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';

// The schema as a client sees it, so that rows can be made of it before the tests run.
const stack = await startStack({ management: () => result({}), observability: () => data({}) });
const { body } = await stack.query(
  getIntrospectionQuery({
    ...{ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true },
    ...{ directiveIsRepeatable: true, schemaDescription: true },
  }),
);
const { body: byDefault } = await stack.query(getIntrospectionQuery());
await stack.close();
const schema: GraphQLSchema = buildClientSchema(body.data);
const text = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

type Kind = 'type' | 'value' | 'output' | 'argument' | 'input';
interface Element {
  /** `Type`, `Type.field`, `Type.field.argument`, `Enum.VALUE`. */
  readonly at: string;
  readonly kind: Kind;
  readonly type: string;
  readonly description: string;
  readonly deprecated: string | undefined;
}
interface Described {
  readonly type?: unknown;
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

/** Everything that has a name in the schema. */
const elementsOf = (of: GraphQLSchema): readonly Element[] => {
  const element = (at: string, kind: Kind, described: Described): Element => ({
    ...{ at, kind, type: String(described.type), description: described.description ?? '' },
    deprecated: described.deprecationReason ?? undefined,
  });
  return Object.values(of.getTypeMap()).flatMap((type) => {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) return [];
    const { name } = type;
    const own = element(name, 'type', { description: type.description });
    if (isEnumType(type)) {
      return [own, ...type.getValues().map((v) => element(`${name}.${v.name}`, 'value', v))];
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      return [own, ...fields.map((field) => element(`${name}.${field.name}`, 'input', field))];
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [own];
    const fields = Object.values(type.getFields()).flatMap((field) => [
      element(`${name}.${field.name}`, 'output', field),
      ...field.args.map((arg) => element(`${name}.${field.name}.${arg.name}`, 'argument', arg)),
    ]);
    return [own, ...fields];
  });
};
const elements = elementsOf(schema);
const those = (filter: (element: Element) => boolean): readonly string[] =>
  elements.filter(filter).map(({ at }) => at);
/** `name: Type` of what is directly below. */
const below = (parent: string): readonly string[] =>
  elements.flatMap(({ at, type }) => {
    const name = at.slice(parent.length + 1);
    return at.startsWith(`${parent}.`) && !name.includes('.') ? [`${name}: ${type}`] : [];
  });
const namesBelow = (parent: string) => below(parent).map((each) => each.split(':')[0]);

/** The directives that an operation or a schema may use, also those that a print leaves out. */
const directivesOf = (of: GraphQLSchema): readonly string[] =>
  lexicographicSortSchema(of)
    .getDirectives()
    .map(({ name, args, isRepeatable, locations }) => {
      const declared = args.map((arg) => `${arg.name}: ${arg.type}`).join(', ');
      return `@${name}(${declared})${isRepeatable ? ' repeatable' : ''} on ${locations.join(' | ')}`;
    });

it('schema.graphql is the schema that introspection shows, and loses nothing when it is read', () => {
  const printed = buildSchema(text);
  for (const each of [schema, printed]) {
    expect(`${printSchema(lexicographicSortSchema(each))}\n`).toBe(text);
    expect(directivesOf(each)).toEqual(directivesOf(printed));
  }
  expect(directivesOf(schema)).toContain('@oneOf() on INPUT_OBJECT');
  expect(text).toMatch(/^ {2}\w+: \w+ @deprecated\(reason: "\w/m);
});

it('descriptions are sentences of some length, on every type, field, argument and enum value', () => {
  expect(elements.length).toBeGreaterThan(300);
  expect(those(({ description }) => description.trim().length < 15)).toEqual([]);
});

it('descriptions tell of all that the documented interfaces lack, but for what is of the gateway itself', () => {
  // The types of the documented interfaces with their fields, members or values: a type a line.
  const lines = readFileSync(new URL('documented.txt', import.meta.url), 'utf8').split('\n');
  const documented = new Set(
    lines.flatMap((line) => {
      const [type, ...names] = line.split(' ');
      return [type, ...names.map((name) => `${type}.${name}`)];
    }),
  );
  const isAdded = ({ at, kind }: Element): boolean => {
    const [type] = at.split('.');
    return kind !== 'argument' && !documented.has(at) && (at === type || documented.has(type));
  };
  expect(those(isAdded).length).toBeGreaterThan(100);
  const isTold = ({ description }: Element) =>
    /not in the documented interfaces/i.test(description.replaceAll(/\s+/g, ' '));
  expect(those((each) => isAdded(each) && !isTold(each)).toSorted()).toEqual(
    `Alert.displayName Alert.phase AlertFilter.phaseIn AlertFilter.silenced AlertFilter.sourceIn AlertOrder AlertOrderField
    AlertPhase DashboardFilter DashboardOrder DashboardOrderField Date Gateway GatewayRates OrderDirection
    Organization.pipes Organization.serviceCount OrganizationPipes Pipe.availableCommands Pipe.phase
    PipeCommand PipeFilter.phaseIn PipeOrder PipeOrderField PipePhase PlannedCall PlannedChange Query.gateway Query.pipes RateLimit
    Service.availableCommands Service.phase ServiceCommand ServiceFilter ServiceOrder
    ServiceOrderField ServicePhase Subscription UnreadService UpdateAlertInput.dryRun UpdateAlertPayload.plan
    UpdatePipeInput.dryRun UpdatePipePayload.plan UserErrorCode.SERVICE_NOT_RUNNING UserErrorCode.WOULD_LOSE_DATA
    WritePlan`.split(/\s+/),
  );
});

it.each(namesBelow('Mutation'))(
  '%s is verbNoun(input: VerbNounInput!): VerbNounPayload!, of nullable members and userErrors',
  (name = '') => {
    const Name = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    expect(below(`Mutation.${name}`)).toEqual([`input: ${Name}Input!`]);
    expect(below('Mutation')).toContain(`${name}: ${Name}Payload!`);
    const members = below(`${Name}Payload`);
    const changed = members.filter((each) => each !== 'userErrors: [UserError!]!');
    expect(changed).toHaveLength(members.length - 1);
    expect(changed).not.toEqual([]);
    expect(changed.filter((each) => each.endsWith('!'))).toEqual([]);
  },
);

it('enums of inputs have no UNKNOWN, and those of outputs have it', () => {
  const enums = Object.values(schema.getTypeMap())
    .filter((type) => isEnumType(type) && !isIntrospectionType(type))
    .map(({ name }) => name);
  const inputs = elements
    .filter(({ kind }) => kind === 'input')
    .map(({ type }) => type.replaceAll(/[[\]!]/g, ''));
  // UserErrorCode and the commands are the gateway's own: no upstream can add to them. A filter may ask for what is
  // UNKNOWN of an enum that is also one of outputs.
  const ofPhases = ['AlertPhase', 'PipePhase', 'ServicePhase'];
  const ofFilters = ['AlertSource', 'AlertThresholdType', ...ofPhases];
  const expected = enums.filter((name) => inputs.includes(name) && !ofFilters.includes(name));
  expect(expected.length).toBeGreaterThanOrEqual(4);
  const unknowing = enums.filter((name) => !namesBelow(name).includes('UNKNOWN'));
  const own = ['PipeCommand', 'ServiceCommand', 'UserErrorCode'];
  expect(unknowing.sort()).toEqual([...expected, ...own].sort());
});

/** What the description of ClickHouse Cloud requires of the kinds of sources that only it has. */
const sourcesOfCloud = Object.entries({
  MySqlSourceInput: 'host port settings tableMappings',
  MySqlSourceSettingsInput: 'replicationMode',
  MySqlTableMappingInput: 'sourceSchemaName sourceTable targetTable',
  BigQuerySourceInput: 'snapshotStagingPath settings tableMappings',
  BigQuerySourceSettingsInput: 'replicationMode',
  BigQueryTableMappingInput: 'sourceDatasetName sourceTable targetTable',
  MongoDbSourceInput: 'uri readPreference settings tableMappings',
  MongoDbSourceSettingsInput: 'replicationMode',
  MongoDbTableMappingInput: 'sourceDatabaseName sourceCollection targetTable',
  PubSubSourceInput: 'projectId topic format authentication seekType',
  UpdateMySqlSourceInput: 'host port',
  MySqlTableMappingKeyInput: 'sourceSchemaName sourceTable targetTable',
  UpdateMongoDbSourceInput: 'uri readPreference',
  MongoDbTableMappingKeyInput: 'sourceDatabaseName sourceCollection targetTable',
  UpdatePubSubSourceInput: 'authentication',
}).flatMap(([type, names]) => names.split(' ').map((name) => `${type}.${name}`));

it('nullability leaves only identifiers non-null in inputs, and what every upstream requires', () => {
  const all = elements.filter(({ kind, type }) => kind === 'input' && type.endsWith('!'));
  expect(all.length).toBeGreaterThan(20);
  const others = all.filter(({ at, type }) => !/\.[a-zA-Z]+Id: ID!$/.test(`${at}: ${type}`));
  const required = others.map(({ at }) => at).filter((at) => !at.includes('Order.'));
  expect(required.sort()).toEqual(
    [
      ...sourcesOfCloud,
      ...`ApiKeyHashDataInput.keyIdHash ApiKeyHashDataInput.keyIdSuffix ApiKeyHashDataInput.keySecretHash
    CreateAlertInput.interval CreateAlertInput.source CreateAlertInput.threshold CreateAlertInput.thresholdType
    CreateApiKeyInput.name CreateDashboardInput.name
    CreatePipeInput.destination CreatePipeInput.name CreatePipeInput.source
     DashboardMenuInput.expression DashboardMenuInput.name DashboardMenuInput.type IpAccessEntryInput.source
    PipeDestinationColumnInput.name PipeDestinationColumnInput.type
    PipeFieldMappingInput.destinationField PipeFieldMappingInput.sourceField
    PostgresTableMappingInput.sourceSchemaName PostgresTableMappingInput.sourceTable
    PostgresTableMappingInput.targetTable PostgresTableMappingKeyInput.sourceSchemaName
    PostgresTableMappingKeyInput.sourceTable PostgresTableMappingKeyInput.targetTable
    PrivateEndpointInput.id ServiceEndpointUpdateInput.enabled ServiceEndpointUpdateInput.protocol
    ServiceTagInput.key ValidateDashboardInput.name`.split(/\s+/),
    ].sort(),
  );
});

it('nullability leaves only what the gateway guarantees non-null in outputs', () => {
  const guaranteed = elements
    .filter(({ at, kind }) => kind === 'output' && !at.startsWith('Mutation.'))
    .map(({ at, type }) => `${at}: ${type}`)
    .filter((field) => field.endsWith('!'))
    .filter((field) => !/\.(id|[a-zA-Z]+Id): ID!$|\.userErrors: \[UserError!\]!$/.test(field));
  expect(guaranteed.toSorted()).toEqual([
    'Alert.displayName: String!',
    ...['Alert.phase: AlertPhase!', 'Gateway.rates: GatewayRates!'],
    ...['Gateway.unavailableFields: [String!]!', 'Gateway.version: String!'],
    'Notification.json: String!',
    'OrganizationNotifications.hasMore: Boolean!',
    'OrganizationNotifications.items: [Notification!]!',
    'OrganizationPipes.items: [Pipe!]!',
    'OrganizationPipes.totalCount: Int!',
    'OrganizationPipes.unreadServices: [UnreadService!]!',
    ...['Pipe.availableCommands: [PipeCommand!]!', 'Pipe.phase: PipePhase!'],
    ...['PlannedCall.method: String!', 'PlannedCall.operation: String!'],
    ...['PlannedCall.path: String!', 'PlannedCall.upstream: String!'],
    'PlannedChange.path: [String!]!',
    ...['Query.gateway: Gateway!', 'Query.nodes: [Node]!', 'Quota.code: String!'],
    ...['RateLimit.calls: Int!', 'RateLimit.seconds: Float!'],
    'Service.availableCommands: [ServiceCommand!]!',
    'Service.phase: ServicePhase!',
    ...['UnreadService.code: String!', 'UnreadService.message: String!'],
    'UnreadService.service: Service!',
    ...['UserError.code: UserErrorCode!', 'UserError.message: String!'],
    ...['WritePlan.calls: [PlannedCall!]!', 'WritePlan.changes: [PlannedChange!]!'],
  ]);
});

it('nullability leaves no null inside a list but for nodes', () => {
  expect(those(({ kind, type }) => kind === 'output' && /\w\]/.test(type))).toEqual([
    'Query.nodes',
  ]);
});

it('deprecates what the reference deprecates in answers, and says what to use instead', () => {
  const deprecated = elements.filter((each) => each.deprecated !== undefined);
  expect(deprecated.map((each) => [each.at, each.deprecated?.split('. ').at(-1)])).toEqual([
    ['Service.minTotalMemoryGb', 'Use minReplicaMemoryGb.'],
    ['Service.maxTotalMemoryGb', 'Use maxReplicaMemoryGb.'],
  ]);
  const fields = ['minReplicaMemoryGb', 'maxReplicaMemoryGb'];
  expect(namesBelow('Service')).toEqual(expect.arrayContaining(fields));
});

it('shows every input to tools that ask in the default way, which leave out what is deprecated', () => {
  const inputsOf = (of: GraphQLSchema) =>
    elementsOf(of)
      .filter(({ kind }) => kind === 'input' || kind === 'argument')
      .map(({ at }) => at);
  const known = inputsOf(buildClientSchema(byDefault.data));
  expect(known).toEqual(inputsOf(schema));
  expect(known).toContain('UpdateServiceScalingInput.minTotalMemoryGb');
});
