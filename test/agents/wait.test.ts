import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { json, paced, type Reaction, result, stackInTest } from '../support/harness.ts';
import { asJson } from '../support/http/operations.ts';
import { stopTime } from '../support/pacing/time.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { call, type Members, request } from './agent.ts';

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');
const pipeId = withIds('pipe-1');
const given = { organizationId, serviceId, pipeId, phaseIn: ['STOPPED'] };

/** A gateway in front of a pipe and its service, whose answers are made by the whole seconds since the beginning. */
const start = async (answerAt: (seconds: number) => Reaction, config: Partial<Config> = {}) => {
  const clock = stopTime();
  const began = performance.now();
  const stack = await stackInTest({
    management: ({ path }) =>
      path === '/v1/organizations'
        ? result([{ id: organizationId }])
        : answerAt(Math.floor((performance.now() - began) / 1000)),
    config: { ...paced, mcp: 'read', ...config },
  });
  const pass = (seconds: number) =>
    clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  /** Shows that nothing is read any more. */
  const isOver = async () => {
    const calls = stack.calls.length;
    await pass(30);
    expect([stack.calls.length, stack.gateway.streams().streams]).toEqual([calls, 0]);
  };
  const wait = async (more: Members = {}) => {
    const { text, isError } = await clock.until(call(stack.url, 'wait_for', { ...given, ...more }));
    return { text, isError, read: isError ? undefined : JSON.parse(text) };
  };
  return { stack, clock, pass, isOver, wait };
};

const stateAt = (state: string) => result({ id: pipeId, name: 'orders', state });
/** It stops after eight seconds. */
const stopping = (seconds: number) => stateAt(seconds < 8 ? 'Stopping' : 'Stopped');

const pipe = { id: pipeId, name: 'orders', state: 'Stopped', phase: 'STOPPED' };

it('waits for a phase of a pipe with one read and its polls, which end then', async () => {
  const { stack, isOver, wait } = await start(stopping);
  const { read } = await wait();
  const now = expect.any(String);
  expect(read).toEqual({ reached: true, waitedSeconds: expect.any(Number), pipe, now });
  expect(read.waitedSeconds).toBeGreaterThanOrEqual(8);
  const path = 'services/service-1/pipes/pipe-1';
  expect(stack.calls.map(shortCall)).toEqual([path, path, path]);
  await isOver();
});

it('finds the organization, and waits for a service where no pipe is given', async () => {
  const { stack, wait } = await start((seconds) =>
    result({ id: serviceId, name: 'production', state: seconds < 3 ? 'stopping' : 'stopped' }),
  );
  const { read } = await wait({ organizationId: null, pipeId: null });
  const service = { id: serviceId, name: 'production', state: 'stopped', phase: 'STOPPED' };
  expect(read).toMatchObject({ reached: true, service });
  expect(stack.calls.map(shortCall).slice(0, 2)).toEqual(['organizations', 'services/service-1']);
});

it('ends with what is read now, not with what is kept', async () => {
  const { stack, clock, wait } = await start((seconds) =>
    stateAt(seconds < 2 || seconds > 6 ? 'Stopped' : 'Running'),
  );
  const { phaseIn: _, ...pipeIds } = given;
  await clock.until(call(stack.url, 'get_pipe', pipeIds));
  clock.advance(2000);
  expect((await wait()).read.waitedSeconds).toBeGreaterThan(3);
});

it('says that it is not reached when the time is over, and reads no further', async () => {
  const { isOver, wait } = await start(() => stateAt('Stopping'));
  const { read } = await wait({ maxSeconds: 7 });
  expect(read).toMatchObject({ reached: false, waitedSeconds: 7, pipe: { phase: 'CHANGING' } });
  expect(read.advice).toMatch(/call wait_for again/);
  await isOver();
});

it.each([
  ['that does not exist', json({ error: 'no' }, 404), /^NOT_FOUND: /],
  ['whose credential is refused', json({ error: 'no' }, 401), /^UNAUTHENTICATED: /],
])('ends at once for a pipe %s', async (_, answer, told) => {
  const { stack, isOver, wait } = await start(() => answer, { maxRetries: 0 });
  expect(await wait()).toMatchObject({ isError: true, text: expect.stringMatching(told) });
  expect(stack.calls).toHaveLength(1);
  await isOver();
});

it('several waits for the same pipe cost the polls of one', async () => {
  const callsOf = async (waits: number): Promise<number> => {
    const { stack, clock } = await start(() => stateAt('Stopping'));
    const waiting = Array.from({ length: waits }, () => call(stack.url, 'wait_for', given));
    const answers = await clock.until(Promise.all(waiting));
    for (const { text } of answers) expect(text).toContain('"reached":false');
    return stack.calls.length;
  };
  expect(await callsOf(3)).toBe(await callsOf(1));
});

it('goes on after a failure that may pass', async () => {
  const { wait } = await start(
    (seconds) => (seconds < 5 ? json({ error: 'no' }, 503) : stateAt('Stopped')),
    { maxRetries: 0 },
  );
  expect((await wait()).read).toMatchObject({ reached: true, pipe });
});

it.each<[title: string, given: Members, told: string]>([
  ['a phase of services only', { phaseIn: ['IDLE'] }, 'phaseIn[0] must be one of'],
  ['no phase', { phaseIn: undefined }, 'It needs phaseIn.'],
  ['an empty list of phases', { phaseIn: [] }, 'phaseIn must not be empty.'],
  ['no time', { maxSeconds: 0 }, 'maxSeconds must be an integer from 1 to 25, got 0.'],
  ['too much time', { maxSeconds: 26 }, 'maxSeconds must be an integer from 1 to 25, got 26.'],
])('refuses %s before any call', async (_, more, told) => {
  const { stack, wait } = await start(stopping);
  expect(await wait(more)).toMatchObject({ isError: true, text: expect.stringContaining(told) });
  expect(stack.calls).toEqual([]);
});

const headers = { ...asJson, 'management-authorization': 'Basic a2V5LWlkOmtleS1zZWNyZXQ=' };
const messageWith = (_meta?: Members) =>
  JSON.stringify(request('tools/call', { name: 'wait_for', arguments: given, _meta }));

it('ends when the client leaves', async () => {
  const { stack, pass, isOver } = await start(() => stateAt('Stopping'));
  const leaving = new AbortController();
  const left = fetch(new URL('/mcp', stack.url), {
    ...{ method: 'POST', headers, body: messageWith(), signal: leaving.signal },
  });
  const ended = expect(left).rejects.toThrow('abort');
  await pass(2);
  leaving.abort();
  await ended;
  await pass(1);
  await isOver();
});

it('counts as a stream: beyond the limit it says when to ask again', async () => {
  const { stack, clock, wait } = await start(stopping, { maxStreamsPerCredential: 1 });
  const first = call(stack.url, 'wait_for', given);
  await clock.still(() => stack.calls.length > 0);
  const told = /^LIMIT_EXCEEDED: Too many subscriptions .* Ask again in 25 s\.$/;
  expect((await wait()).text).toMatch(told);
  expect((await clock.until(first)).isError).toBe(false);
});

it.each([
  ['text/event-stream', { progressToken: 'p' }],
  ['application/json', { progressToken: 'p' }],
  ['text/event-stream', {}],
])('with accept %s and %j tells its progress if both allow it', async (type, meta) => {
  const { stack, clock } = await start(stopping);
  const response = await clock.until(
    fetch(new URL('/mcp', stack.url), {
      ...{ method: 'POST', headers: { ...headers, accept: `application/json, ${type}` } },
      body: messageWith(meta),
    }),
  );
  const text = await clock.until(response.text());
  const isStream = type === 'text/event-stream' && 'progressToken' in meta;
  expect(response.headers.get('content-type')).toContain(isStream ? type : 'application/json');
  const messages = isStream
    ? text.split('\n\n').flatMap((event) => {
        const [, data] = /^event: message\ndata: (.*)$/.exec(event) ?? [];
        return data ? [JSON.parse(data)] : [];
      })
    : [JSON.parse(text)];
  const answer = messages.pop();
  expect(answer.id).toBe(1);
  expect(JSON.parse(answer.result.content[0].text)).toMatchObject({ reached: true, pipe });
  const told = messages.map(({ params }) => params);
  expect(told.length > 1).toBe(isStream);
  for (const { progressToken, total } of told) expect([progressToken, total]).toEqual(['p', 25]);
  const progress = told.map((each) => each.progress);
  expect(progress).toEqual([...new Set(progress)].sort((one, other) => one - other));
  if (isStream) expect(told.at(-1).message).toMatch(/^phase (?:CHANGING|STOPPED)$/);
});
