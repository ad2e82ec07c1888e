import { describe, expect, it } from 'vitest';
import { cloud, hyperdx } from '../profiles/rows.ts';
import { data, json, result, stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { call, type Members } from './agent.ts';

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');
const pipeId = withIds('pipe-1');
const [kafka, postgres] = [{ kafka: {} }, { postgres: {} }];
const unseen = 'pay\u202eroll\u200b\u2028\ufe0f\u00ad\u{e0041}\u0085';
const escaped = String.raw`pay\u202eroll\u200b\u2028\ufe0f\u00ad\udb40\udc41\u0085`;

interface World {
  readonly service?: Members;
  readonly pipe?: Members;
  readonly alert?: Members;
  readonly tile?: Members;
  readonly config?: object;
}

/** A gateway with writing tools, in front of one thing of each kind. */
const start = async ({ service, pipe, alert, tile, config }: World) => {
  const stack = await stackInTest({
    management: ({ path }) =>
      path.includes('pipes')
        ? result({ id: pipeId, name: 'orders', ...pipe })
        : result({ id: serviceId, name: 'production', state: 'running', ...service }),
    observability: ({ path }) =>
      path.includes('dashboards')
        ? data({ id: 'd1', name: 'API', tiles: [{ id: 't1', ...tile }] })
        : data({ id: 'a1', name: 'Errors', dashboard: 'd1', tileId: 't1', ...alert }),
    config: { mcp: 'write', ...config },
  });
  const given: Members = {
    pipe: { organizationId, serviceId, pipeId, confirmServiceName: 'production' },
    service: { organizationId, serviceId },
    alert: { alertId: 'a1', confirmWatchedName: 'API' },
  };
  const use = async (tool: string, more: Members) => {
    const kind = ['pipe', 'service', 'alert'].find((each) => tool.includes(each)) ?? '';
    const confirmName = { pipe: 'orders', service: 'production', alert: 'Errors' }[kind];
    return call(stack.url, tool, { confirmName, ...Object(given[kind]), ...more });
  };
  const written = () => stack.callList().filter((each) => !each.startsWith('GET')).length;
  return { use, written };
};

const failed = { state: 'Failed' };
const between = {
  thresholdType: 'between',
  threshold: 5,
  thresholdMax: 500,
  dashboardId: 'd1',
  source: 'tile',
  channel: { type: 'webhook', webhookId: 'w1' },
};
const counts = { asRatio: true, series: [{ aggFn: 'count' }, { aggFn: 'count' }] };
const sums = { asRatio: true, series: [{ aggFn: 'sum' }, { aggFn: 'sum' }] };
const hyper = { alert: between, config: hyperdx };
const share = 'threshold must be from 0 to 1, got';

/** A world, a write, and why it is refused; without a reason, it is sent. */
it.each<[tool: string, world: World, more: Members, refusal?: string]>([
  [
    'stop_pipe',
    { pipe: failed },
    {},
    'STOP is not offered in the present state "Failed", phase FAILED; available commands: START.',
  ],
  [
    'stop_pipe',
    { pipe: { ...failed, source: postgres } },
    {},
    'STOP is not offered in the present state "Failed", phase FAILED; available commands: START, RESYNC.',
  ],
  ['start_pipe', { pipe: { state: 'Running' } }, {}, 'START is not offered in'],
  ['resync_pipe', { pipe: { ...failed, source: kafka } }, {}, 'RESYNC is not offered in'],
  ['resync_pipe', { pipe: { ...failed, source: postgres } }, {}],
  ['start_pipe', { pipe: { state: 'Later' } }, {}],
  [
    'stop_pipe',
    { pipe: { state: 'Running' } },
    { confirmServiceName: 'staging' },
    "confirmServiceName is not the present name of the pipe's service.",
  ],
  [
    'stop_pipe',
    { pipe: { state: 'Running' }, service: { name: null } },
    { confirmServiceName: serviceId },
  ],
  [
    'wake_service',
    { config: cloud },
    {},
    'WAKE is not offered in the present state "running", phase RUNNING; available commands: STOP.',
  ],
  [
    'start_service',
    { config: cloud, service: { state: 'stopping' } },
    {},
    'START is not offered in',
  ],
  ['wake_service', { config: cloud, service: { state: 'later' } }, {}],
  ['update_alert_threshold', {}, { threshold: 7 }],
  [
    'update_alert_threshold',
    {},
    { threshold: 7, confirmWatchedName: 'Checkout' },
    'confirmWatchedName is not the present name of the dashboard or saved search',
  ],
  [
    'update_alert_threshold',
    { alert: { dashboard: null, savedSearch: 's1' } },
    { threshold: 7, confirmWatchedName: 's1' },
  ],
  [
    'update_alert_threshold',
    { config: { extendedReads: false } },
    { threshold: 7, confirmWatchedName: 'd1' },
  ],
  [
    'update_alert_threshold',
    hyper,
    { threshold: 501 },
    "threshold 501 is above the alert's thresholdMax, 500.",
  ],
  ['update_alert_threshold', hyper, { threshold: 500 }],
  ['update_alert_threshold', { tile: counts }, { threshold: 5 }, `${share} 5: `],
  ['update_alert_threshold', { tile: counts }, { threshold: 1 }],
  ['update_alert_threshold', { tile: { ...counts, asRatio: false } }, { threshold: 5 }],
  ['update_alert_threshold', { tile: sums }, { threshold: 5 }],
])('%s in %j with %j', async (tool, world, more, refusal) => {
  const { use, written } = await start(world);
  const { text, isError } = await use(tool, more);
  const told = refusal === undefined ? '{"before":{' : `BAD_USER_INPUT: ${refusal}`;
  expect([text.slice(0, told.length), isError]).toEqual([told, refusal !== undefined]);
  if (refusal !== undefined) expect(text).toContain('Nothing was sent.');
  expect(written()).toBe(refusal === undefined ? 1 : 0);
});

describe('a text of an upstream', () => {
  const running = { state: 'Running' };
  const long = 'x'.repeat(2_000_000);

  it.each([
    ['has no character that is not seen', unseen, escaped],
    ['is short', long, `${'x'.repeat(2000)}… (cut)`],
    ['is long, and has such characters', unseen + long, undefined],
  ])('%s, and confirms as it was shown', async (_, name, shown) => {
    const { use, written } = await start({ pipe: { ...running, name }, service: { name } });
    const all = { organizationId, serviceId, pipeId };
    const { text } = await use('get_pipe', {
      ...all,
      confirmName: undefined,
      confirmServiceName: undefined,
    });
    const found: string = /"name":"(.*?)"/.exec(text)?.[1] ?? '';
    if (shown !== undefined) expect(found).toBe(shown);
    expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Default_Ignorable_Code_Point}\u0085]/u);
    expect(text.length).toBeLessThan(10_000);
    const parsed = JSON.parse(`"${found}"`);
    for (const confirmed of [found, parsed, name]) {
      if (confirmed.length > 100_000) continue;
      const answer = await use('stop_pipe', {
        confirmName: confirmed,
        confirmServiceName: confirmed,
      });
      expect([answer.isError, answer.text.length < 3000], answer.text).toEqual([false, true]);
      expect(answer.text).not.toMatch(/\p{Cf}/u);
    }
    expect(written()).toBeGreaterThan(1);
    const other = await use('stop_pipe', { confirmName: `${found}x`, confirmServiceName: found });
    expect(other.isError).toBe(true);
  });

  it('is seen in errors, too', async () => {
    const stack = await stackInTest({
      observability: () => json({ message: unseen }, 403),
      config: { mcp: 'read' },
    });
    const { text } = await call(stack.url, 'get_alert', { alertId: 'a1' });
    expect(text).toContain(String.raw`FORBIDDEN: pay\u202eroll\u200b`);
    expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  });
});
