import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { json, stackInTest } from '../support/harness.ts';
import { serve } from '../support/servers.ts';

/** Reads of two paths each: failures of one path alone open no breaker. */
const documents = [
  '{ organizations { name } alerts { name } }',
  '{ organization(organizationId: "0a9a0000-0000-4000-8000-00000000000a") { name } dashboards { name } }',
];

it.each([
  ['well', 200, 200, 'closed', 'closed'],
  ['both with 504', 504, 504, 'open', 'open'],
  ['both with 4xx', 403, 404, 'closed', 'closed'],
])(
  'GET /readyz tells the breakers without a call or a credential, of upstreams that answer: %s',
  async (_, one, other, management, observability) => {
    const well = { status: 200, requestId: 'r', result: [], data: [] };
    const answer = (status: number) => () =>
      json(status === 200 ? well : { status, message: 'canary' }, status);
    const stack = await stackInTest({ management: answer(one), observability: answer(other) });
    for (let time = 0; time < 12; time += 1) {
      // Each with credentials of its own, so that nothing is shared.
      const headers = {
        'management-authorization': `Basic ${btoa(`caller:${time}`)}`,
        'observability-authorization': `Bearer caller-${time}`,
      };
      await stack.query(documents[time % 2] ?? '', { headers });
    }
    const { length } = stack.calls;
    const ready = await fetch(new URL('/readyz', stack.url));
    expect(ready.status).toBe(200);
    expect(ready.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(await ready.json()).toEqual({
      ...{ status: 'ready', uncaughtErrors: 0 },
      upstreams: { management: { breaker: management }, observability: { breaker: observability } },
    });
    expect((await fetch(new URL('/healthz', stack.url))).status).toBe(200);
    expect(stack.calls).toHaveLength(length);
  },
);

type Answering = (response: ServerResponse) => void;
const unauthorized: Answering = (response) => response.writeHead(401).end();
const cutOff: Answering = (response) => response.destroy();

/** An upstream whose answers a test may change, and the requests that it got. */
const startUpstream = async (answering: Answering) => {
  const requests: IncomingMessage[] = [];
  const upstream = { requests, answering, url: '' };
  const { origin } = await serve((request, response) => {
    requests.push(request);
    upstream.answering(response);
  });
  upstream.url = `${origin}/base`;
  return upstream;
};

const start = async (READY_REQUIRES: string, answering: Answering = unauthorized) => {
  const management = await startUpstream(answering);
  const observability = await startUpstream(unauthorized);
  const urls = { MANAGEMENT_URL: management.url, OBSERVABILITY_URL: observability.url };
  const gateway = await startGateway({ READY_REQUIRES, ...urls }, { probeMs: 10 });
  const ready = async () => {
    const response = await fetch(new URL('/readyz', gateway.url));
    const { status, upstreams } = await response.json();
    const reachable = [upstreams.management.reachable, upstreams.observability.reachable];
    return [response.status, status, ...reachable];
  };
  return { management, observability, ...gateway, ready };
};

describe('with READY_REQUIRES=upstreams the gateway', () => {
  it('READY_REQUIRES=upstreams makes it ready while each upstream answers, with whatever status, and says which cannot be reached', async () => {
    const held: ServerResponse[] = [];
    const { management, observability, ready, lines } = await start('upstreams', (response) => {
      held.push(response);
    });
    await expect.poll(ready).toEqual([503, 'starting', null, true]);
    management.answering = unauthorized;
    for (const response of held) unauthorized(response);
    await expect.poll(ready).toEqual([200, 'ready', true, true]);
    management.answering = cutOff;
    await expect.poll(ready).toEqual([503, 'upstream unreachable', false, true]);
    management.answering = unauthorized;
    await expect.poll(ready).toEqual([200, 'ready', true, true]);
    const probe = { msg: 'probe of an upstream', upstream: 'management' };
    const finding = expect.stringContaining('cannot be reached');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', ...probe, reachable: false, finding },
      { ...probe, reachable: true },
    ]);
    expect(lines.join('')).not.toContain('127.0.0.1');
    for (const { method, url, headers } of [...management.requests, ...observability.requests])
      expect([method, url, headers.authorization]).toEqual(['GET', '/base', undefined]);
  });

  it('READY_REQUIRES=upstreams makes it not ready at once where an upstream cannot be reached from the start', async () => {
    const { ready } = await start('upstreams', cutOff);
    await expect.poll(ready).toEqual([503, 'upstream unreachable', false, true]);
  });

  it('the gateway sends no probe once it stops, and leaves the one that is unanswered', async () => {
    const { management, observability, close } = await start('upstreams', () => undefined);
    await expect.poll(() => management.requests.length).toBe(1);
    await expect.poll(() => observability.requests.length).toBeGreaterThan(2);
    await close();
    await expect.poll(() => management.requests[0]?.socket.destroyed).toBe(true);
    expect(management.requests).toHaveLength(1);
  });
});

it('with READY_REQUIRES=nothing no upstream is probed', async () => {
  const { management, observability, ready } = await start('nothing', cutOff);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(await ready()).toEqual([200, 'ready', undefined, undefined]);
  expect([management.requests, observability.requests]).toEqual([[], []]);
});
