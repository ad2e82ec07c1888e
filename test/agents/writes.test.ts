import { expect, it } from 'vitest';
import { cloud, hyperdx } from '../profiles/rows.ts';
import { data, json, result, stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { call, type Members } from './agent.ts';

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');
const pipeId = withIds('pipe-1');
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

const [failed, running] = [{ state: 'Failed' }, { state: 'Running' }];
const restarting = { ...failed, source: { postgres: {} } };
const between = {
  thresholdType: 'between',
  threshold: 5,
  thresholdMax: 500,
  dashboardId: 'd1',
  source: 'tile',
  channel: { type: 'webhook', webhookId: 'w1' },
};
const counts = { asRatio: true, series: [{ aggFn: 'count' }, { aggFn: 'count' }] };
const hyper = { alert: between, config: hyperdx };

const notOffered = (command: string, state: string, commands: string): string =>
  `${command} is not offered in the present state "${state}", phase ${state.toUpperCase()}; available commands: ${commands}.`;
const sends = (tool: string, world: World, more: Members = {}) => {
  return [tool, world, more, undefined] as const;
};
const refuses = (tool: string, world: World, reason: string, more: Members = {}) => {
  return [tool, world, more, reason] as const;
};
const alertTo = (threshold: number, confirmWatchedName = 'API') => ({
  ...{ threshold, confirmWatchedName },
});
const update = 'update_alert_threshold';
const noPlace = 'confirmWatchedName is not the present name of the dashboard or saved search';
const noService = "confirmServiceName is not the present name of the pipe's service.";

it.each([
  refuses('stop_pipe', { pipe: failed }, notOffered('STOP', 'Failed', 'START')),
  refuses('stop_pipe', { pipe: restarting }, notOffered('STOP', 'Failed', 'START, RESYNC')),
  sends('resync_pipe', { pipe: restarting }),
  sends('start_pipe', { pipe: { state: 'Later' } }),
  refuses('stop_pipe', { pipe: running }, noService, { confirmServiceName: 'staging' }),
  sends('stop_pipe', { pipe: running, service: { name: null } }, { confirmServiceName: serviceId }),
  refuses('wake_service', { config: cloud }, notOffered('WAKE', 'running', 'STOP')),
  sends('wake_service', { config: cloud, service: { state: 'later' } }),
  sends(update, {}, alertTo(7)),
  refuses(update, {}, noPlace, alertTo(7, 'Checkout')),
  sends(update, { alert: { dashboard: null, savedSearch: 's1' } }, alertTo(7, 's1')),
  sends(update, { config: { extendedReads: false } }, alertTo(7, 'd1')),
  refuses(update, hyper, "threshold 501 is above the alert's thresholdMax, 500.", alertTo(501)),
  sends(update, hyper, alertTo(500)),
  refuses(update, { tile: counts }, 'threshold must be from 0 to 1, got 5: ', alertTo(5)),
  sends(update, { tile: counts }, alertTo(1)),
])('%s in %j with %j', async (tool, world, more, refusal) => {
  const { use, written } = await start(world);
  const { text, isError } = await use(tool, more);
  const told = refusal === undefined ? '{"before":{' : `BAD_USER_INPUT: ${refusal}`;
  expect([text.slice(0, told.length), isError]).toEqual([told, refusal !== undefined]);
  if (refusal !== undefined) expect(text).toContain('Nothing was sent.');
  expect(written()).toBe(refusal === undefined ? 1 : 0);
});

const long = 'x'.repeat(300_000);

it.each([
  ['has no character that is not seen', unseen, escaped],
  ['is short', long, `${'x'.repeat(2000)}… (cut)`],
  ['is long, and has such characters', unseen + long, undefined],
])('a text of an upstream %s, and confirms as it was shown', async (_, name, shown) => {
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

it('a text of an upstream is seen in errors, too', async () => {
  const stack = await stackInTest({
    observability: () => json({ message: unseen }, 403),
    config: { mcp: 'read' },
  });
  const { text } = await call(stack.url, 'get_alert', { alertId: 'a1' });
  expect(text).toContain(String.raw`FORBIDDEN: pay\u202eroll\u200b`);
  expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
});
