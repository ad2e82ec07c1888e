import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { drawPort } from '../support/ports.ts';
import { startBalancer } from '../support/replicas/balancer.ts';
import { serve } from '../support/servers.ts';
import { subscribe } from '../support/subscribe.ts';

/** A replica that is ready for as long as it says so. */
const replica = async (name: string, answer?: RequestListener) => {
  const state = { isReady: true };
  const server = await serve((request, response) => {
    if (request.url === '/readyz') response.writeHead(state.isReady ? 200 : 503).end();
    else if (answer) answer(request, response);
    else response.end(name);
  });
  return { ...server, state };
};

const start = async (ports: readonly number[]) => {
  const balancer = await startBalancer();
  onTestFinished(balancer.close);
  for (const port of ports) await balancer.add(port);
  const ask = async (): Promise<string> => (await fetch(balancer.origin)).text();
  const askTimes = async (times: number): Promise<string> => {
    let names = '';
    for (let time = 0; time < times; time += 1) names += await ask();
    return names;
  };
  /** Waits until three requests in a row come to these. */
  const untilNames = async (names: RegExp): Promise<void> => {
    while (!names.test(await askTimes(3))) await new Promise(setImmediate);
  };
  return { balancer, ask, askTimes, untilNames };
};

it('asks the replicas one after the other, and leaves one out that is not ready', async () => {
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => replica(name)));
  if (!a || !b || !c) throw new Error('three were started');
  const { askTimes, untilNames, balancer } = await start([a.port, b.port, c.port]);
  expect([...(await askTimes(6))].sort().join('')).toBe('aabbcc');
  b.state.isReady = false;
  await untilNames(/^(aca|cac)$/);
  b.state.isReady = true;
  await untilNames(/b/);
  balancer.remove(a.port);
  expect(await askTimes(6)).not.toContain('a');
});

it('has another replica answer where a connection is refused', async () => {
  const b = await replica('b');
  const port = drawPort();
  const closing = createServer((_, response) => response.end()).listen(port, '127.0.0.1');
  const { askTimes, ask, balancer } = await start([port, b.port]);
  closing.close();
  closing.closeAllConnections();
  await once(closing, 'close');
  expect(await askTimes(4)).toBe('bbbb');
  balancer.remove(b.port);
  expect(await ask()).toBe('no replica is ready');
});

it('passes an event on as it comes, and the leaving of a client', async () => {
  const left = Promise.withResolvers<unknown>();
  const a = await replica('a', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: next\ndata: {"data":1}\n\n');
    left.resolve(once(response, 'close'));
  });
  const { balancer } = await start([a.port]);
  const stream = await subscribe(balancer.origin, 'subscription { alerts { id } }');
  expect(await stream.event(1)).toEqual({ data: 1 });
  stream.leave();
  await left.promise;
});

it('passes the body on, and breaks off where the replica does', async () => {
  const a = await replica('a', async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (text === 'break') {
      response.write('half');
      setImmediate(() => response.destroy());
    } else response.end(text);
  });
  const { balancer } = await start([a.port]);
  const send = (body: string) => fetch(balancer.origin, { method: 'POST', body });
  expect(await (await send('a body')).text()).toBe('a body');
  await expect(send('break').then((response) => response.text())).rejects.toThrow();
});
