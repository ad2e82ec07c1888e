import { afterEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { data, json, result, type Stack, startStack } from '../support/harness.ts';
import { bodiesWritten, expectSent, useStack } from '../support/refusals.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const organization = { organizationId };
const service = { organizationId, serviceId };
const pipe = { organizationId, serviceId, pipeId };
const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;

/** A value as a GraphQL literal; ADMIN is the one enum value in it. */
const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/"(\w+)":/g, '$1: ')
    .replace('"ADMIN"', 'ADMIN');

describe('absent and null stay apart', () => {
  const stack = useStack();
  const rows = [
    { field: 'updateOrganization', input: organization, body: '{}' },
    {
      field: 'updateOrganization',
      input: { ...organization, name: null },
      body: '{"name":null}',
    },
    {
      field: 'updateOrganization',
      input: { ...organization, privateEndpoints: null },
      body: '{"privateEndpoints":null}',
    },
    {
      field: 'updateOrganization',
      input: { ...organization, privateEndpoints: { add: null, remove: [{ id: null }] } },
      body: '{"privateEndpoints":{"add":null,"remove":[{"id":null}]}}',
    },
    {
      field: 'updateOrganization',
      input: { ...organization, name: '', privateEndpoints: {} },
      body: '{"name":"","privateEndpoints":{}}',
    },
    {
      field: 'createApiKey',
      input: {
        ...organization,
        name: null,
        expireAt: null,
        state: null,
        hashData: { keyIdHash: null },
        roles: ['ADMIN'],
        ipAccessList: [{ source: '192.0.2.1', description: null }],
      },
      body:
        '{"name":null,"expireAt":null,"state":null,"hashData":{"keyIdHash":null},"roles":["admin"],' +
        '"ipAccessList":[{"source":"192.0.2.1","description":null}]}',
    },
    {
      field: 'createApiKey',
      input: { ...organization, hashData: null, roles: ['ADMIN'] },
      body: '{"hashData":null,"roles":["admin"]}',
    },
    {
      field: 'updateServiceScaling',
      input: { ...service, numReplicas: null, idleScaling: null },
      body: '{"numReplicas":null,"idleScaling":null}',
    },
    { field: 'updateServicePassword', input: service, body: '{}' },
    {
      field: 'updateServicePassword',
      input: { ...service, newPasswordHash: null },
      body: '{"newPasswordHash":null}',
    },
    {
      field: 'createPipe',
      input: {
        ...service,
        name: null,
        destination: { table: null, tableDefinition: { engine: null }, roles: null },
        scaling: null,
        source: { kinesis: { region: null } },
        settings: null,
      },
      body:
        '{"name":null,"destination":{"table":null,"tableDefinition":{"engine":null},"roles":null},' +
        '"scaling":null,"source":{"kinesis":{"region":null}},"settings":null}',
    },
    {
      field: 'createPipe',
      input: {
        ...service,
        source: { kafka: { schemaRegistry: { credentials: null }, offset: null } },
        settings: {},
      },
      body: '{"source":{"kafka":{"offset":null,"schemaRegistry":{"credentials":null}}},"settings":{}}',
    },
    { field: 'updatePipe', input: pipe, body: '{}' },
    { field: 'updatePipe', input: { ...pipe, name: null }, body: '{"name":null}' },
    {
      field: 'updatePipe',
      input: {
        ...pipe,
        source: { postgres: { settings: { pullBatchSize: null }, tableMappingsToAdd: null } },
        destination: null,
        fieldMappings: null,
        settings: { engineMaxThreads: null, engineParallelViewProcessing: false },
      },
      body:
        '{"destination":null,"fieldMappings":null,' +
        '"source":{"postgres":{"settings":{"pullBatchSize":null},"tableMappingsToAdd":null}},' +
        '"settings":{"engine_max_threads":null,"engine_parallel_view_processing":false}}',
    },
    { field: 'createDashboard', input: {}, body: '{}' },
    {
      field: 'createDashboard',
      input: {
        name: null,
        tiles: [{ x: 0, name: null, series: [{ groupBy: null }] }, {}],
        tags: null,
      },
      body:
        '{"name":null,"tiles":[{"name":null,"x":0,"series":[{"groupBy":null}]},{}],' +
        '"tags":null}',
    },
    {
      field: 'updateAlert',
      input: {
        alertId: 'a1',
        threshold: null,
        interval: null,
        thresholdType: null,
        source: null,
        dashboardId: null,
        tileId: null,
        channel: { type: null, webhookId: null },
        name: null,
        message: null,
      },
      body:
        '{"threshold":null,"interval":null,"thresholdType":null,"source":null,"dashboardId":null,' +
        '"tileId":null,"channel":{"type":null,"webhookId":null},"name":null,"message":null}',
    },
  ].map((row) => ({ ...row, sent: `${literal(row.input)} as ${row.body}` }));

  it.each(rows)('$field sends $sent', async ({ field, input, body }) => {
    await expectSent(stack(), field, input, body);
    stack().calls.length = 0;
    const answer = await stack().query(
      `mutation { ${field}(input: ${literal(input)}) { userErrors { message } } }`,
    );
    expect(answer.body).toEqual({ data: { [field]: { userErrors: [] } } });
    expect(bodiesWritten(stack())).toEqual([body]);
  });

  it.each([
    [{}, '{"privateEndpoints":{}}'],
    [{ name: null, add: null }, '{"name":null,"privateEndpoints":{"add":null}}'],
    [{ name: 'n', add: [] }, '{"name":"n","privateEndpoints":{"add":[]}}'],
  ])('of variables inside a literal: %j sends %s', async (variables, body) => {
    await stack().query(
      `mutation ($name: String, $add: [PrivateEndpointInput!]) {
        updateOrganization(input: {
          organizationId: "${organizationId}", name: $name, privateEndpoints: { add: $add }
        }) { userErrors { code } }
      }`,
      { variables },
    );
    expect(stack().calls.map((call) => call.body)).toEqual([body]);
  });
});

describe('answers of mutations:', () => {
  let stack: Stack | undefined;
  afterEach(async () => {
    await stack?.close();
    stack = undefined;
  });
  const start = async (...args: Parameters<typeof startStack>): Promise<Stack> => {
    stack = await startStack(...args);
    return stack;
  };

  it.each([
    ['{}', json({})],
    ['{"data":{}}', data({})],
    ['an empty body', { body: '' }],
    ['204 without a body', { status: 204, body: '' }],
  ])('a deletion takes %s for a success', async (_, reply) => {
    const { query, callList } = await start({
      management: () => reply,
      observability: () => reply,
    });
    const { body } = await query(
      'mutation { deleteDashboard(input: { dashboardId: "d1" }) { deletedDashboardId userErrors { code } } }',
    );
    expect(callList()).toEqual(['DELETE /api/v2/dashboards/d1']);
    expect(body).toEqual({
      data: { deleteDashboard: { deletedDashboardId: 'd1', userErrors: [] } },
    });
  });

  it('a key created from hashes has no id and no secret to tell', async () => {
    const { query } = await start({
      management: () => result({ key: { id: 'k1', name: 'hashed' } }),
      observability: () => data({}),
    });
    const { body } = await query(
      `mutation { createApiKey(input: { organizationId: "${organizationId}", hashData: {}, roles: [ADMIN] }) {
        apiKey { id name } keyId keySecret userErrors { code }
      } }`,
    );
    expect(body).toEqual({
      data: {
        createApiKey: {
          apiKey: { id: 'k1', name: 'hashed' },
          keyId: null,
          keySecret: null,
          userErrors: [],
        },
      },
    });
  });

  it('the member of a state command has the configured name', async () => {
    const { query, calls } = await start({
      management: () => result({ id: pipeId }),
      observability: () => data({}),
      config: { pipeStateCommandField: 'desiredState' },
    });
    await query(`mutation {
      a: startPipe(input: ${literal(pipe)}) { userErrors { code } }
      b: stopPipe(input: ${literal(pipe)}) { userErrors { code } }
      c: resyncPipe(input: ${literal(pipe)}) { userErrors { code } }
    }`);
    expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual(
      ['start', 'stop', 'resync'].map((command) => [
        'PATCH',
        `${servicePath}/pipes/${pipeId}/state`,
        `{"desiredState":"${command}"}`,
      ]),
    );
  });

  it('a failure leaves the answers of the mutations before it in place', async () => {
    const { query, calls } = await start({
      management: answering({
        [`POST ${organizationPath}/keys`]: result({ keySecret: 'the only time' }),
        [`PATCH ${organizationPath}`]: json({ error: 'broken' }, 500),
        [`PATCH ${servicePath}/password`]: result({ password: 'generated' }),
      }),
      observability: () => data({}),
    });
    const { body } = await query(`mutation {
      createApiKey(input: ${literal({ ...organization, roles: ['ADMIN'] })}) { keySecret }
      updateOrganization(input: ${literal(organization)}) { organization { name } }
      updateServicePassword(input: ${literal(service)}) { password }
    }`);
    expect(body.data).toEqual({
      createApiKey: { keySecret: 'the only time' },
      updateOrganization: { organization: null },
      updateServicePassword: { password: 'generated' },
    });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    expect(calls).toHaveLength(3);
  });
});
