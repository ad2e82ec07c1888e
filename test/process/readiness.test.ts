import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { serve } from '../support/servers.ts';

type Answering = (response: ServerResponse) => void;

const unauthorized: Answering = (response) => {
  response.writeHead(401).end();
};
const cutOff: Answering = (response) => {
  response.destroy();
};

/** An upstream whose answers a test may change, and the requests that it got. */
const startUpstream = async (answering: Answering = unauthorized) => {
  const requests: IncomingMessage[] = [];
  const upstream = { requests, answering, url: '' };
  const { origin } = await serve((request, response) => {
    requests.push(request);
    upstream.answering(response);
  });
  upstream.url = `${origin}/base`;
  return upstream;
};

const start = async (READY_REQUIRES: string, management?: Answering) => {
  const upstreams = {
    management: await startUpstream(management),
    observability: await startUpstream(),
  };
  const gateway = await startGateway(
    {
      READY_REQUIRES,
      MANAGEMENT_URL: upstreams.management.url,
      OBSERVABILITY_URL: upstreams.observability.url,
    },
    { probeMs: 10 },
  );
  const ready = async () => {
    const response = await fetch(new URL('/readyz', gateway.url));
    return { httpStatus: response.status, ...((await response.json()) as object) };
  };
  return { ...upstreams, ...gateway, ready };
};

const body = (status: string, management: boolean | null, observability: boolean | null) => ({
  httpStatus: status === 'ready' ? 200 : 503,
  status,
  upstreams: {
    management: { breaker: 'closed', reachable: management },
    observability: { breaker: 'closed', reachable: observability },
  },
  uncaughtErrors: 0,
});

describe('with READY_REQUIRES=upstreams the gateway', () => {
  it('is ready once each upstream has answered, with whatever status', async () => {
    const held: ServerResponse[] = [];
    const { management, ready } = await start('upstreams', (response) => void held.push(response));
    await expect.poll(ready).toEqual(body('starting', null, true));
    management.answering = unauthorized;
    for (const response of held) unauthorized(response);
    await expect.poll(ready).toEqual(body('ready', true, true));
  });

  it('is not ready while one cannot be reached, says which, and is ready again afterwards', async () => {
    const { management, ready, lines } = await start('upstreams');
    await expect.poll(ready).toEqual(body('ready', true, true));
    management.answering = cutOff;
    await expect.poll(ready).toEqual(body('upstream unreachable', false, true));
    management.answering = unauthorized;
    await expect.poll(ready).toEqual(body('ready', true, true));
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged).toMatchObject([
      {
        level: 40,
        msg: 'probe of an upstream',
        upstream: 'management',
        reachable: false,
        finding: expect.stringContaining('cannot be reached'),
      },
      { msg: 'probe of an upstream', upstream: 'management', reachable: true },
    ]);
    expect(lines.join('')).not.toContain('127.0.0.1');
  });

  it('says at once that it is not ready where an upstream cannot be reached from the start', async () => {
    const { ready } = await start('upstreams', cutOff);
    await expect.poll(ready).toEqual(body('upstream unreachable', false, true));
  });

  it('sends probes without a credential, to the base URL, and to both upstreams', async () => {
    const { management, observability } = await start('upstreams');
    for (const { requests } of [management, observability]) {
      await expect.poll(() => requests.length).toBeGreaterThan(2);
      for (const { method, url, headers } of requests) {
        expect([method, url, headers.authorization]).toEqual(['GET', '/base', undefined]);
      }
    }
  });

  it('sends none any longer once it stops, also while one is unanswered', async () => {
    const { management, observability, close } = await start('upstreams', () => undefined);
    await expect.poll(() => management.requests.length).toBe(1);
    await expect.poll(() => observability.requests.length).toBeGreaterThan(1);
    await close();
    // One that was under way may arrive later.
    const most = observability.requests.length + 1;
    await pause(100);
    expect(observability.requests.length).toBeLessThanOrEqual(most);
    expect(management.requests).toHaveLength(1);
    await expect.poll(() => management.requests[0]?.socket.destroyed).toBe(true);
  });
});

it('with READY_REQUIRES=nothing no upstream is probed', async () => {
  const { management, observability, ready } = await start('nothing', cutOff);
  await pause(100);
  expect(await ready()).toEqual({
    httpStatus: 200,
    status: 'ready',
    upstreams: { management: { breaker: 'closed' }, observability: { breaker: 'closed' } },
    uncaughtErrors: 0,
  });
  expect([management.requests, observability.requests]).toEqual([[], []]);
});
