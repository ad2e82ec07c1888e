import { expect, it, onTestFinished } from 'vitest';
import { credentials, data, result, stackInTest } from '../support/harness.ts';
import { post } from '../support/http/requests.ts';
import { events, multipart } from '../support/in-parts.ts';
import { holdTime } from '../support/pacing/time.ts';
import { withIds } from '../support/world/ids.ts';

const alerts = Array.from({ length: 200 }, (_, index) => ({
  ...{
    id: `a${index}`,
    name: `Latency ${index}`,
    dashboard: `d${index}`,
    message: 'm'.repeat(9000),
  },
}));
const services = alerts.map((_, index) => ({ id: withIds(`service-${index + 1}`) }));
const dashboards = alerts.map(({ dashboard }) => ({ id: dashboard, name: 'd' }));
const json = 'application/json';
const aliases = (field: (index: number) => string): string =>
  Array.from({ length: 60 }, (_, index) => `a${index}: ${field(index)}`).join(' ');

/** Each look at the clock shows more than a turn of the event loop may last, so nothing goes on without giving way. */
const hurryTime = (): void => {
  const time = holdTime();
  const { now } = performance;
  performance.now = () => {
    time.pass(0.011);
    return now();
  };
  onTestFinished(time.release);
};

it.each([
  ['rows', '{ alerts { id } }', json],
  ['filters', `{ ${aliases((at) => `alerts(filter: {nameContains: "x${at}"}) { id }`)} }`, json],
  ['orders', `{ ${aliases(() => 'alerts(orderBy: {field: NAME}) { __typename }')} }`, json],
  ['joins', '{ alerts { dashboard { name } } }', json],
  ['rows of an event', 'subscription { alerts { id } }', events],
  ['rows of a part', '{ ... @defer { alerts { id } } }', multipart],
  [
    'reads',
    withIds('{ organization(organizationId: "organization-1") { pipes { totalCount } } }'),
    json,
  ],
])('%s give way to other requests, and calls stay together', async (what, query, accept) => {
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  const stack = await stackInTest({
    config: {
      operationTimeoutMs: 3_600_000,
      ...(what === 'reads' && { maxUpstreamCalls: 1, maxStaleMs: 0 }),
    },
    management: () => {
      setImmediate(count);
      return result(services);
    },
    observability: ({ path }) => {
      if (path.endsWith('/alerts')) setImmediate(count);
      return data(path.endsWith('/alerts') ? alerts : dashboards);
    },
  });
  hurryTime();
  const response = await post(stack.url, query, { ...credentials, accept });
  const reader = response.body?.getReader();
  onTestFinished(async () => reader?.cancel());
  let text = '';
  while (!text.includes('"a199"') && !text.includes('}}}')) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += Buffer.from(value).toString();
  }
  isCounting = false;
  expect(text).not.toContain('"errors"');
  expect(turns).toBeGreaterThan(59);
  const calls = ['/api/v2/alerts', ...(what === 'joins' ? ['/api/v2/dashboards'] : [])];
  const paths = what === 'reads' ? [withIds('/v1/organizations/organization-1/services')] : calls;
  expect(stack.callList()).toEqual(paths.map((path) => `GET ${path}`));
});

it('a large answer, which is written in several turns, is whole', async () => {
  const { query } = await stackInTest({
    observability: () => data(alerts),
    config: { explain: true },
  });
  const headers = { 'sluice-explain': '1' };
  const { text, body } = await query(
    '{ alerts { id message __typename } alert(alertId: "no/id") { name } }',
    {
      headers,
    },
  );
  expect(text.length).toBeGreaterThan(1_500_000);
  expect(Object.keys(body)).toEqual(['errors', 'data', 'extensions']);
  expect(body.errors).toMatchObject([{ path: ['alert'], extensions: { code: 'BAD_USER_INPUT' } }]);
  const shown = alerts.map(({ id, message }) => ({ id, message, __typename: 'Alert' }));
  expect(body.data).toEqual({ alerts: shown, alert: null });
});
