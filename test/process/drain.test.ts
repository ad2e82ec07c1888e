import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { call, postOf } from '../support/http/raw.ts';
import { askInParts } from '../support/in-parts.ts';
import { startMain, until } from '../support/process/run-main.ts';
import { withIds } from '../support/world/ids.ts';

const id = withIds('organization-1');
const organization = withIds('{ organization(organizationId: "organization-1") { name } }');
const rename = withIds(
  'mutation { updateOrganization(input: { organizationId: "organization-1", name: "new" }) { organization { name } } }',
);
const remove = 'mutation { deleteDashboard(input: { dashboardId: "d1" }) { deletedDashboardId } }';
const later = (field: string) => `{ __typename ... @defer { ${field} } }`;
const bearer = (token: string) => ({ 'observability-authorization': `Bearer ${token}` });
const basic = (key: string) => ({ 'management-authorization': `Basic ${btoa(`${key}:secret`)}` });

/** What each interface reads is a success without rows. */
const answerOfBoth = '{"status":200,"requestId":"r1","result":{"id":"o1","name":"new"},"data":[]}';
const answer = (response: ServerResponse): void => {
  response.setHeader('content-type', 'application/json').end(answerOfBoth);
};

/** A gateway whose upstream answers when the test says so. */
const start = async (env: Readonly<Record<string, string>>) => {
  const held: ServerResponse[] = [];
  const gateway = await startMain((response) => void held.push(response), env);
  /** Each call so far: its credential and its path. */
  const calls: string[] = [];
  const arrived = async (call: string): Promise<ServerResponse> => {
    const nameOf = ({ req }: ServerResponse) => {
      const [scheme, value = ''] = String(req.headers.authorization).split(' ');
      const who = scheme === 'Basic' ? atob(value).split(':')[0] : value;
      return `${who} ${req.method} ${req.url?.split('/').at(-1)}`;
    };
    await until(() => held.some((each) => nameOf(each) === call));
    calls.splice(0, calls.length, ...held.map(nameOf));
    const found = held.find((each) => nameOf(each) === call);
    if (!found) throw new Error('it has gone');
    return found;
  };
  /** Sends an operation, and answers its call. */
  const askAnswered = async (query: string, headers: Record<string, string>, call: string) => {
    const asked = gateway.ask(query, headers);
    answer(await arrived(call));
    return asked;
  };
  const inParts = (query: string, headers: Record<string, string>) =>
    askInParts(gateway, query, { headers });
  /** Sends SIGTERM once all requests before have been read. */
  const stop = async (): Promise<void> => {
    for (const _ of [1, 2]) await fetch(new URL('/healthz', gateway.url));
    gateway.child.kill('SIGTERM');
    await gateway.logged('stopping');
  };
  /** Waits for the end; → the messages of the log after `stopping`, which end with `stopped`. */
  const messages = async (): Promise<readonly unknown[]> => {
    const { code, text } = await gateway.ended;
    expect(code).toBe(0);
    const all = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    return all.slice(all.indexOf('stopping') + 1);
  };
  return { ...gateway, calls, arrived, askAnswered, inParts, stop, messages };
};

const error = (code: string, message: RegExp, retryable: boolean, more = {}) => ({
  message: expect.stringMatching(message),
  extensions: expect.objectContaining({ code, retryable, ...more }),
});
const withoutStatus = expect.not.objectContaining({ status: expect.anything() });
const limited = (message: RegExp) =>
  error('RATE_LIMITED', message, true, {
    retryAfterSeconds: expect.any(Number),
    upstream: withoutStatus,
  });

describe('when a gateway begins to stop', () => {
  it('calls whose slot would come too late are refused at once, and the others are sent', async () => {
    const gateway = await start({
      ...{ OBSERVABILITY_RATE: '1/40s', MANAGEMENT_RATE: '1/1s', OPERATION_TIMEOUT_MS: '120000' },
      ...{ PACING_WAIT_MS: '60000', MAX_STALE_SECONDS: '0' },
    });
    for (const token of ['reader', 'writer', 'parts']) {
      await gateway.askAnswered('{ alerts { name } }', bearer(token), `${token} GET alerts`);
    }
    await gateway.askAnswered(organization, basic('late'), `late GET ${id}`);
    const read = gateway.ask('{ dashboards { name } }', bearer('reader'));
    const write = gateway.ask(remove, bearer('writer'));
    const { ended } = gateway.inParts(later('dashboards { name }'), bearer('parts'));
    const renamed = gateway.ask(rename, basic('late'));
    await gateway.stop();
    const slot =
      /^The rate limit of observability is used up for this credential. Retry in \d+ s\./;
    expect((await read).errors).toEqual([expect.objectContaining(limited(slot))]);
    expect((await write).errors).toEqual([
      expect.objectContaining(limited(/Retry in \d+ s\. The write was not sent\.$/)),
    ]);
    const parts = await ended;
    expect(parts.flatMap(({ incremental = [] }) => incremental[0]?.errors ?? [])).toEqual([
      expect.objectContaining(limited(slot)),
    ]);
    expect(parts.at(-1)?.hasNext).toBe(false);
    // The gateway goes on for those that are sent.
    answer(await gateway.arrived(`late PATCH ${id}`));
    expect(await renamed).not.toHaveProperty('errors');
    expect(gateway.calls).toHaveLength(5);
    const operation = 'operation';
    expect(await gateway.messages()).toEqual([...Array(4).fill(operation), 'stopped']);
  });

  it('reads that nobody waits for are no longer sent', async () => {
    const gateway = await start({ OBSERVABILITY_RATE: '1/2s', PACING_WAIT_MS: '0' });
    await gateway.askAnswered('{ alerts { name } }', bearer('gone'), 'gone GET alerts');
    // It is read on in the background.
    const { errors } = await gateway.ask('{ dashboards { name } }', bearer('gone'));
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    await gateway.askAnswered('{ alerts { name } }', bearer('parts'), 'parts GET alerts');
    const { ended } = gateway.inParts(later('dashboards { name }'), bearer('parts'));
    await gateway.stop();
    // Its slot came later than the other.
    answer(await gateway.arrived('parts GET dashboards'));
    expect((await ended).at(-1)).toMatchObject({ incremental: [{ data: { dashboards: [] } }] });
    expect(gateway.calls).toEqual(['gone GET alerts', 'parts GET alerts', 'parts GET dashboards']);
    await gateway.ended;
  });
});

it('a short DRAIN_MS leaves time for answers too', async () => {
  const gateway = await start({ DRAIN_MS: '2000' });
  const write = gateway.ask(rename, basic('key'));
  const call = await gateway.arrived(`key PATCH ${id}`);
  await gateway.stop();
  answer(call);
  expect(await write).not.toHaveProperty('errors');
  await gateway.ended;
});

it('what is still under way shortly before the end of DRAIN_MS is answered, and told before "stopped"', async () => {
  // Until one second calls are sent, and after two seconds they are given up.
  const env = { DRAIN_MS: '4000', UPSTREAM_CONNECTIONS: '4' };
  const gateway = await start({ ...env, MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off' });
  const write = gateway.ask(rename, basic('key'));
  await gateway.arrived(`key PATCH ${id}`);
  // A credential has one connection of four.
  const waiting = gateway.ask(organization, basic('key'));
  const read = gateway.ask('{ alerts { name } }', bearer('reader'));
  const { ended, text } = gateway.inParts(later('alerts { name }'), bearer('parts'));
  for (const token of ['reader', 'parts']) await gateway.arrived(`${token} GET alerts`);
  // A client that reads nothing, of an answer that no socket takes whole: it is cut off at the end.
  const { socket } = call(gateway.port);
  socket.pause();
  const thrice = later('a: dashboards { name } b: dashboards { name } c: dashboards { name }');
  const more = thrice.replace(/}$/, '... @defer { alerts { name } } }');
  socket.write(postOf(more, 'authorization: Bearer stalled', 'accept: multipart/mixed'));
  const large = await gateway.arrived('stalled GET dashboards');
  const rows = Array.from({ length: 9 }, (_, n) => ({ id: `d${n}`, name: 'n'.repeat(1_000_000) }));
  large.setHeader('content-type', 'application/json').end(JSON.stringify({ data: rows }));
  await gateway.arrived('stalled GET alerts');
  await gateway.stop();
  const uncertain =
    /^management did not answer \w+ in time\. The write may have been carried out\.$/;
  expect((await waiting).errors).toEqual([
    expect.objectContaining(
      limited(/^This gateway is stopping, and has not sent getOrganization\./),
    ),
  ]);
  expect((await write).errors).toEqual([
    expect.objectContaining(error('UPSTREAM_TIMEOUT', uncertain, false)),
  ]);
  const unread = error(
    'UPSTREAM_TIMEOUT',
    /^observability did not answer listAlerts in time\./,
    true,
  );
  expect((await read).errors).toEqual([expect.objectContaining(unread)]);
  const parts = await ended;
  expect(parts.flatMap(({ incremental = [] }) => incremental[0]?.errors ?? [])).toEqual([
    expect.objectContaining(unread),
  ]);
  expect(parts.at(-1)?.hasNext).toBe(false);
  expect(text()).toMatch(/-----\r\n$/);
  expect(gateway.calls).toHaveLength(5);
  const messages = await gateway.messages();
  expect(messages.filter((each) => each === 'operation')).toHaveLength(5);
  const failed = gateway.lines('upstream call failed');
  expect(failed.map(({ operation, reason }) => [operation, reason])).toEqual([
    ['updateOrganization', 'timeout'],
    ['listAlerts', 'timeout'],
    ['listAlerts', 'timeout'],
    ['listAlerts', 'timeout'],
  ]);
  expect(messages.at(-1)).toBe('stopped');
});
