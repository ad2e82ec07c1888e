import { afterEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const otherServiceId = '5e4c0000-0000-4000-8000-000000000002';
const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

let stack: Stack;
afterEach(() => stack.close());

// biome-ignore lint/suspicious/noExplicitAny: an answer of a GraphQL operation
const errorsOf = (body: any): [string, string][] =>
  (body.errors ?? [])
    .map((error: AnswerError) => [error.path.join('.'), error.extensions.code])
    .sort();

const document = `{ service(${ids}) { name } alerts { name } }`;
const management: Answering = () => result({ id: serviceId, name: 'production' });
const observability: Answering = () => data([{ id: 'a1', name: 'lag' }]);
const service = { name: 'production' };
const alerts = [{ name: 'lag' }];

describe('a failure of one upstream leaves the fields of the other:', () => {
  it.each([
    ['management answers 503', 'management', { service: null, alerts }, 'service'],
    ['observability answers 503', 'observability', { service, alerts: null }, 'alerts'],
  ] as const)('%s', async (_, down, expected, path) => {
    const failing: Answering = () => json({}, 503);
    stack = await startStack({ management, observability, [down]: failing });
    const { body } = await stack.query(document);
    expect(body.data).toEqual(expected);
    expect(errorsOf(body)).toEqual([[path, 'UPSTREAM_UNAVAILABLE']]);
  });

  it.each([
    ['management refuses connections', 'managementUrl', { service: null, alerts }, 'service'],
    ['observability refuses connections', 'observabilityUrl', { service, alerts: null }, 'alerts'],
  ] as const)('%s', async (_, down, expected, path) => {
    const url = await refusingUrl();
    stack = await startStack({ management, observability, config: { [down]: url } });
    const { body } = await stack.query(document);
    expect(body.data).toEqual(expected);
    expect(errorsOf(body)).toEqual([[path, 'UPSTREAM_UNAVAILABLE']]);
  });

  it('both are down', async () => {
    const url = await refusingUrl();
    const config = { managementUrl: url, observabilityUrl: url };
    stack = await startStack({ management, observability, config });
    const { status, body } = await stack.query(document);
    expect(status).toBe(200);
    expect(body.data).toEqual({ service: null, alerts: null });
    expect(errorsOf(body)).toEqual([
      ['alerts', 'UPSTREAM_UNAVAILABLE'],
      ['service', 'UPSTREAM_UNAVAILABLE'],
    ]);
  });
});

describe('a link that fails nulls its own field only:', () => {
  const links = `{ service(${ids}) {
    name pipes { name } backupConfiguration { backupStartTime } organization { name } } }`;
  const answers: Answering = ({ path }) => {
    if (path.endsWith('/pipes')) return result([{ id: 'p', name: 'clicks' }]);
    if (path.endsWith('/backupConfiguration')) return result({ backupStartTime: '02:00' });
    if (path.endsWith(organizationId)) return result({ id: organizationId, name: 'Northwind' });
    return result({ id: serviceId, name: 'production' });
  };
  const whole = {
    name: 'production',
    pipes: [{ name: 'clicks' }],
    backupConfiguration: { backupStartTime: '02:00' },
    organization: { name: 'Northwind' },
  };

  it.each([
    ['pipes', '/pipes', 500, 'UPSTREAM_ERROR'],
    ['backupConfiguration', '/backupConfiguration', 403, 'FORBIDDEN'],
    ['organization', organizationId, 503, 'UPSTREAM_UNAVAILABLE'],
  ])('%s', async (field, ending, status, code) => {
    stack = await startStack({
      management: (call) => (call.path.endsWith(ending) ? json({}, status) : answers(call)),
      observability,
    });
    const { body } = await stack.query(links);
    expect(body.data).toEqual({ service: { ...whole, [field]: null } });
    expect(errorsOf(body)).toEqual([[`service.${field}`, code]]);
  });

  it('the service itself, once for all that hangs on it', async () => {
    stack = await startStack({
      management: (call) => (call.path.endsWith(serviceId) ? json({}, 403) : answers(call)),
      observability,
    });
    const { body } = await stack.query(links);
    expect(body.data).toEqual({ service: null });
    expect(errorsOf(body)).toEqual([['service', 'FORBIDDEN']]);
  });

  it('the pipes of one service out of two', async () => {
    stack = await startStack({
      management: ({ path }) => {
        if (path === `/v1/organizations/${organizationId}/services/${otherServiceId}/pipes`) {
          return json({}, 424);
        }
        return path.endsWith('/pipes')
          ? result([{ id: 'p', name: 'clicks' }])
          : result([{ id: serviceId }, { id: otherServiceId }]);
      },
      observability,
    });
    const { body } = await stack.query(
      `{ organization(id: "${organizationId}") { services { id pipes { name } } } }`,
    );
    expect(body.data.organization.services).toEqual([
      { id: serviceId, pipes: [{ name: 'clicks' }] },
      { id: otherServiceId, pipes: null },
    ]);
    expect(errorsOf(body)).toEqual([['organization.services.1.pipes', 'SERVICE_NOT_RUNNING']]);
  });

  it("an alert's dashboard, while the alerts stay", async () => {
    stack = await startStack({
      management,
      observability: ({ path }) =>
        path === '/api/v2/alerts'
          ? data([{ id: 'a1', name: 'lag', dashboard: 'd1', tileId: 't1' }])
          : json({}, 500),
    });
    const { body } = await stack.query('{ alerts { name dashboardId dashboard { name } } }');
    expect(body.data.alerts).toEqual([{ name: 'lag', dashboardId: 'd1', dashboard: null }]);
    expect(errorsOf(body)).toEqual([['alerts.0.dashboard', 'UPSTREAM_ERROR']]);
  });

  it('nothing, where an alert points to a dashboard or tile that is gone', async () => {
    stack = await startStack({
      management,
      observability: ({ path }) => {
        if (path === '/api/v2/alerts/a1') return data({ id: 'a1', dashboard: 'd1', tileId: 't1' });
        return path.endsWith('/d1') ? data({ id: 'd1', tiles: [] }) : json({ message: 'no' }, 404);
      },
    });
    const first = await stack.query('{ alert(id: "a1") { dashboard { id tags } tile { name } } }');
    expect(first.body).toEqual({
      data: { alert: { dashboard: { id: 'd1', tags: null }, tile: null } },
    });
  });
});
