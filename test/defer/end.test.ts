import { once } from 'node:events';
import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { changeErrors, errorsOf } from '../../src/plugins/parts.ts';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { createGate } from '../support/faults/gate.ts';
import { json, paced } from '../support/harness.ts';
import { events, multipart, startInParts } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { numbers } from '../support/world/worlds.ts';

const page =
  'query Page { organization(organizationId: "organization-1") { name services { name ... @defer { pipes { name } } } } }';
const forbidden = json(
  { status: 403, error: 'FORBIDDEN: not for key-secret', requestId: 'r1' },
  403,
);
const headers = { 'x-request-id': 'request-1' };
const explained = { config: { ...paced, explain: true } };

it('the errors of later parts have path, code and request id, and no secret of the caller; all codes are in one line of the log, at the end', async () => {
  const gate = createGate();
  const { inParts, lines } = await startInParts({ services: 3 }, { pipes: gate.answering });
  const { parts, ended, text } = inParts(page, { headers });
  await gate.arrived(3);
  await until(() => parts.length === 1);
  expect(lines('operation')).toEqual([]);
  for (const { answer } of gate.calls) answer(forbidden);
  const later = (await ended).flatMap(({ incremental = [] }) => incremental);
  expect(later).toHaveLength(3);
  for (const { data, path, errors } of later) {
    expect(data).toEqual({ pipes: null });
    const extensions = { code: 'FORBIDDEN', requestId: 'request-1', upstream: { requestId: 'r1' } };
    expect(errors).toMatchObject([{ path: [...path, 'pipes'], extensions }]);
  }
  expect(text()).not.toContain('key-secret');
  const operation = { requestId: 'request-1', operationName: 'Page', operationType: 'query' };
  expect(lines('operation')).toMatchObject([
    { ...operation, upstreamCalls: 5, codes: ['FORBIDDEN'] },
  ]);
});

it('an error that leaves a part without data, in the form v0.2, is told, counted and changed as all others', () => {
  const secret = new GraphQLError('secret');
  const part = { completed: [{ id: '0', errors: [secret] }, { id: '1' }], hasNext: false };
  expect(errorsOf(part)).toEqual([secret]);
  const hidden = [new GraphQLError('hidden')];
  const completed = [{ id: '0', errors: hidden }, { id: '1' }];
  expect(changeErrors(part, () => hidden)).toEqual({ completed, hasNext: false });
});

it('errors are counted over all parts: a hundred are told, and how many more there are', async () => {
  const config = { ...paced, maxUpstreamCalls: 500, managementRate: undefined };
  const { inParts } = await startInParts({ services: 130 }, { pipes: () => forbidden, config });
  const messages = (await inParts(page).ended)
    .flatMap(({ incremental = [] }) => incremental.flatMap(({ errors = [] }) => errors))
    .map(({ message }) => message);
  const leftOut = messages.flatMap((each) => /(\d+) more were left out/.exec(each)?.[1] ?? []);
  expect(messages.length - leftOut.length).toBe(100);
  expect(leftOut.map(Number).reduce((sum, count) => sum + count)).toBe(30);
});

it.each([multipart, events])(
  'at the end comes what Sluice-Explain tells, of all calls (%s)',
  async (accept) => {
    const { inParts } = await startInParts({ services: 3 }, explained);
    const parts = await inParts(page, { accept, headers: { 'sluice-explain': '1' } }).ended;
    for (const { extensions } of parts.slice(0, -1)) expect(extensions?.upstream).toBeUndefined();
    expect(parts.at(-1)).toEqual({ hasNext: false, extensions: expect.anything() });
    expect(parts.at(-1)?.extensions?.upstream).toHaveLength(5);
    expect(parts.at(-1)?.extensions?.budget).toEqual({ management: 5, observability: 100 });
  },
);

it('at the end `staleSeconds` comes again, and there is no `Age` header', async () => {
  const clock = stopTime();
  const config = { ...paced, managementRate: { calls: 6, windowMs: 60_000 } };
  const { inParts, calls } = await startInParts({ services: 3 }, { config });
  await inParts(page).ended;
  clock.advance(12_000);
  const { ended, head } = inParts(page);
  const parts = await clock.until(ended);
  expect(parts[0]?.extensions).toEqual({ staleSeconds: 12 });
  expect(parts.at(-1)).toEqual({ hasNext: false, extensions: { staleSeconds: 12 } });
  expect(calls).toHaveLength(5);
  expect(head().headers).not.toHaveProperty('age');
  expect(head().headers['cache-control']).toBe('no-store');
});

it('the calls of later parts are closed when their caller leaves', async () => {
  const gate = createGate();
  const { inParts, calls } = await startInParts({ services: 3 }, { pipes: gate.answering });
  const closed: string[] = [];
  const { parts, leave } = inParts(page);
  await until(() => parts.length === 1);
  for (const number of numbers(3)) {
    const { call } = await gate.arrived(number);
    call.onClose(() => closed.push(call.path));
  }
  leave();
  await until(() => closed.length === 3);
  expect(calls).toHaveLength(5);
});

it('nothing is read for a caller who leaves before the operation is executed', async () => {
  const arrived = Promise.withResolvers<void>();
  const executed = Promise.withResolvers<void>();
  const slow: GatewayPlugin = {
    onContextBuilding: async ({ context: { res, params } }) => {
      if (!params.query?.includes('@defer')) return;
      arrived.resolve();
      await once(res, 'close');
    },
    onExecute: () => ({ onExecuteDone: () => executed.resolve() }),
  };
  const { inParts, ask, sent } = await startInParts({}, { gateway: { plugins: [slow] } });
  const { leave } = inParts('{ __typename ... @defer { alerts { name } } }');
  await arrived.promise;
  leave();
  await executed.promise;
  await ask('{ dashboards { name } }');
  expect(sent()).toEqual(['dashboards']);
});

const commentsIn = (text: string): number =>
  text.split('\n\n').filter((each) => each === ':').length;

it('while the next part is waited for, comments keep a stream of events', async () => {
  const gate = createGate();
  const { inParts, management } = await startInParts({ services: 1 }, { pipes: gate.answering });
  const { ended, text } = inParts(page, { accept: events });
  // Under test there is one every 300 milliseconds.
  await until(() => commentsIn(text()) > 2);
  const { call, answer } = await gate.arrived(1);
  answer(await management(call));
  expect(await ended).toHaveLength(2);
});
