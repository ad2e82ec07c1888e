import { readdirSync, readFileSync } from 'node:fs';
import { buildASTSchema, buildSchema, isObjectType, parse, Source, visit } from 'graphql';
import { expect, it } from 'vitest';
import { documentsOf } from '../../operations/documents.ts';
import { policiesModule } from '../../operations/policies.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { checkDirectives } from '../../src/schema/checks.ts';
import { isSecret, markOf, readsOf } from '../../src/schema/reads.ts';

const directives = `
  directive @entity(read: String, list: String!, id: String) on OBJECT
  directive @read(operation: String!, each: [String!], ids: [String!]) on FIELD_DEFINITION
  directive @link(operation: String!, by: String!) on FIELD_DEFINITION
  directive @write(operation: String!) on FIELD_DEFINITION
`;

const schemaOf = (sdl: string) => buildSchema(new Source(directives + sdl, 'schema/x.graphql'));

const service = `type Query { service(organizationId: ID!, serviceId: ID!): Service @read(operation: "getService") }
  type Service @entity(read: "getService", list: "listServices")`;

const inService = (field: string): string => `${service} { id: ID! other: ID ${field} }`;

const [asEntity, watched] = [
  '@entity(read: "getService", list: "listServices")',
  'type Subscription',
];
const noQuery = 'has no field of Query with its name, type and arguments and with @read.';

/** Schemas with a fault, by the sentence that says which. */
const faults: Readonly<Record<string, string>> = {
  'Service.pipes in schema/x.graphql names listPips, which is no read of src/upstream/.': inService(
    'pipes: [ID] @read(operation: "listPips")',
  ),
  'Service.pipes in schema/x.graphql names createPipe, which is no read of src/upstream/.':
    inService('pipes: [ID] @read(operation: "createPipe")'),
  'Service.pipes in schema/x.graphql names getPip, which is no read of src/upstream/.': inService(
    'pipes: [ID] @read(operation: "listPipes", each: ["getPip"])',
  ),
  'Service.pipes in schema/x.graphql names listAlerts, which takes no identifier of an item.':
    inService('pipes: [ID] @read(operation: "listPipes", each: ["listAlerts"])'),
  'Service.pipe in schema/x.graphql has neither parent nor argument with pipeId.': inService(
    'pipe: ID @read(operation: "getPipe")',
  ),
  'Service.pipe in schema/x.graphql has no identifier as "pipeId = argument.pipe" says.': inService(
    'pipe: ID @read(operation: "getPipe", ids: ["pipeId = argument.pipe"])',
  ),
  'Service.again in schema/x.graphql must name getService, which reads one Service.': inService(
    'again: Service @read(operation: "getOrganization")',
  ),
  'Service.pipe in schema/x.graphql follows pipeId, which is no field of Service.': inService(
    'pipe: ID @link(operation: "listPipes", by: "pipeId")',
  ),
  'Service.one in schema/x.graphql names listPipes, but Backup comes from listBackups.': inService(
    `all: [Backup] @read(operation: "listBackups")
      one: Backup @link(operation: "listPipes", by: "other") } type Backup { id: ID!`,
  ),
  'Mutation.stop in schema/x.graphql names stopService, which is no write of src/upstream/.': `${inService('')}
    type Mutation { stop: ID @write(operation: "stopService") }`,
  'Mutation.stop in schema/x.graphql lacks @write.': `${inService('')} type Mutation { stop: ID }`,
  'Service.pipe in schema/x.graphql has @write, and is no mutation.': inService(
    'pipe: ID @write(operation: "createPipe")',
  ),
  'Service.pipe in schema/x.graphql has both @read and @link.': inService(
    'pipe: ID @read(operation: "listPipes") @link(operation: "getPipe", by: "other")',
  ),
  'A in schema/x.graphql names getA, which is no read of src/upstream/.':
    'type Query { a: A } type A @entity(read: "getA", list: "listServices") { id: ID! }',
  'A in schema/x.graphql names getPipe as its list, which needs pipeId.':
    'type Query { a: A } type A @entity(read: "getService", list: "getPipe") { id: ID! }',
  'A in schema/x.graphql is read by a list, and so @entity must name its id.':
    'type Query { a: A } type A @entity(list: "listServices") { id: ID! }',
  'A in schema/x.graphql has @entity, but no field id.': `type Query { a: ID } type A ${asEntity} { name: ID }`,
  'Service and A in schema/x.graphql are both identified by serviceId.': inService(
    `} type A ${asEntity} { id: ID!`,
  ),
  'Alert in schema/x.graphql names listDashboards as its list, but comes from listAlerts.': `
    type Query { alerts: [Alert] @read(operation: "listAlerts") }
    type Alert @entity(read: "getAlert", list: "listDashboards") { id: ID! }`,
  'A in schema/x.graphql implements Node, and lacks @entity.':
    'type Query { a: ID } interface Node { id: ID! } type A implements Node { id: ID! }',
  [`Subscription.service in schema/x.graphql ${noQuery}`]: `${inService('')}
    ${watched} { service(organizationId: ID!): Service }`,
  [`Subscription.gateway in schema/x.graphql ${noQuery}`]: `${inService('')}
    extend type Query { gateway: ID } ${watched} { gateway: ID }`,
};

it.each(Object.entries(faults))('is an error in one sentence: %s', (message, sdl) => {
  const faulty = schemaOf(sdl);
  expect(() => [readsOf(faulty), checkDirectives(faulty)]).toThrow(new Error(message));
});

it('identifiers come from the parent and from arguments', () => {
  const field = `pipes(organization: ID!): [ID] @read(operation: "listPipes",
    ids: ["organizationId = parent.serviceId", "serviceId = argument.organization"])
    same: [ID] @read(operation: "listPipes", ids: ["organizationId = parent.serviceId"])`;
  const reads = readsOf(schemaOf(inService(field)));
  expect(reads.readOf('Service', 'pipes')).toMatchObject({
    ids: [
      ['organizationId', { from: 'parent', name: 'serviceId' }],
      ['serviceId', { from: 'argument', name: 'organization' }],
    ],
  });
  expect(reads.readOf('Service', 'same')).toMatchObject({
    ids: [
      ['organizationId', { from: 'parent', name: 'serviceId' }],
      ['serviceId', { from: 'parent', name: 'serviceId' }],
    ],
  });
});

const schema = createSchema();

it('clients see none of these directives', () => {
  expect(schema.getDirectives().map(({ name }) => name)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(entity|read|link|write|value|secret)$/)]),
  );
});

it('descriptions say what is secret, and what the documented interfaces lack', () => {
  const differing = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) => {
        const told = (field.description ?? '').replaceAll(/\s+/g, ' ');
        const lacks =
          /Not in the documented interfaces: (it )?fails with OPERATION_UNAVAILABLE/.test(told);
        const profiles = markOf(field)?.profiles ?? [];
        const isTold = /^Secret/.test(told) === isSecret(field) && lacks === profiles.length > 0;
        return isTold ? [] : [`${type.name}.${field.name}`];
      }),
    );
  expect(differing).toEqual([]);
});

it('operations and policies are the same without any description', () => {
  const folder = new URL('../../schema/', import.meta.url);
  const sdl = new Map(
    readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
  const whole = parse([...sdl.values()].join('\n'));
  const bare = visit(whole, {
    StringValue: (_, key) => (key === 'description' ? null : undefined),
  });
  const [described, undescribed] = [whole, bare].map((document) => {
    const built = buildASTSchema(document);
    return [documentsOf(built, sdl), policiesModule(built)];
  });
  expect(undescribed).toEqual(described);
});

it('a type that the generator of operations names and the schema lacks is an error', () => {
  expect(() => documentsOf(buildSchema('type Query { a: ID }'), new Map())).toThrow(
    /^operations\/documents.ts names [\w.]+, which schema\/ lacks.$/,
  );
});
