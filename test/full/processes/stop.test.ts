import { once } from 'node:events';
import { Agent, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendAlerts, startMain, until } from '../../support/process/run-main.ts';
import { subscribe } from '../../support/subscribe.ts';
import { withIds } from '../../support/world/ids.ts';

const callers = Array.from({ length: 100 }, (_, index) => index);
const clean = { code: 0, signal: null, errors: '' };
const organization = withIds('{ organization(organizationId: "organization-1") { name } }');

/** Answers with the credential of the request as the name. */
const answer = (response: ServerResponse): void => {
  const [scheme, value = ''] = String(response.req.headers.authorization).split(' ');
  const sent =
    scheme === 'Basic'
      ? { status: 200, result: { id: withIds('organization-1'), name: atob(value) } }
      : { data: [{ id: 'a1', name: value }] };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(sent));
};

describe('a gateway that is told to stop during 100 operations', () => {
  /** The gateway, whose upstreams answer nothing before they are told to; and one read for each caller, half of either. */
  const start = async (env: Readonly<Record<string, string>>) => {
    const held: ServerResponse[] = [];
    const gateway = await startMain((response) => void held.push(response), {
      ...{ UPSTREAM_CONNECTIONS: '100', ...env },
    });
    const asked = callers.map((caller) =>
      caller % 2 === 0
        ? gateway.ask(organization, { authorization: `Basic ${btoa(`caller:${caller}`)}` })
        : gateway.ask('{ alerts { name } }', { authorization: `Bearer caller:${caller}` }),
    );
    return { ...gateway, held, asked: Promise.all(asked) };
  };

  it('a gateway that is told to stop has every operation answered, also those that wait for a connection, and ends with 0', async () => {
    const gateway = await start({ UPSTREAM_CONNECTIONS: '5' });
    await until(() => gateway.held.length === 8);
    // Requests that are answered say that those sent before them have been read.
    for (const _ of [1, 2]) await fetch(new URL('/healthz', gateway.url));
    gateway.child.kill('SIGTERM');
    await gateway.logged('stopping');
    const late = once(connect(gateway.port, '127.0.0.1'), 'connect');
    await expect(late).rejects.toThrow('ECONNREFUSED');
    const all = gateway.asked.then(() => 'all');
    while ((await Promise.race([all, pause(5)])) !== 'all') gateway.held.splice(0).forEach(answer);
    expect(await gateway.asked).toEqual(
      callers.map((caller) => {
        const name = `caller:${caller}`;
        return { data: caller % 2 === 0 ? { organization: { name } } : { alerts: [{ name }] } };
      }),
    );
    expect(await gateway.ended).toMatchObject(clean);
  });
});

it('a hundred streams are ended properly, and come back spread over a second', async () => {
  const gateway = await startMain(sendAlerts);
  const open = async (index: number) => {
    const stream = await subscribe(gateway.url, 'subscription { alerts { name } }', {
      headers: { 'observability-authorization': `Bearer token-${index % 10}` },
    });
    await stream.event(1);
    return stream;
  };
  // Before its first answer a credential may have four streams.
  const firsts = await Promise.all(callers.slice(0, 10).map(open));
  const streams = [...firsts, ...(await Promise.all(callers.slice(10).map(open)))];
  gateway.child.kill('SIGTERM');
  await Promise.all(streams.map(({ ended }) => ended));
  expect(streams.every(({ isComplete, response }) => isComplete && response.complete)).toBe(true);
  const waits = streams.map(({ retryMs = Number.NaN }) => retryMs);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1000);
  // A hundred random numbers of a thousand: that more than half of them are in one tenth has no chance.
  const tenths = Array.from({ length: 10 }, (_, tenth) =>
    waits.filter((wait) => Math.min(9, Math.floor(wait / 100)) === tenth),
  );
  expect(Math.max(...tenths.map(({ length }) => length))).toBeLessThan(50);
  expect(await gateway.ended).toMatchObject(clean);
  const ends = gateway.lines('subscription').map((line) => line.ended);
  expect(ends).toEqual(callers.map(() => 'gateway stops'));
});

/** Asks on a connection that is kept; → the answer, and what becomes of the connection. */
const keep = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async () => {
    const path = '/graphql?query={__typename}';
    const asked = request({ agent, port, path, host: '127.0.0.1' }).end();
    const [response] = await once(asked, 'response');
    const text = (await response.toArray()).join('');
    return [text, response.headers.connection];
  };
};
const text = '{"data":{"__typename":"Query"}}';

it('connections that are kept get an answer to all that is sent on them, and are told that they close', async () => {
  const { child, port, ended } = await startMain(sendAlerts);
  const counts = Array.from({ length: 20 }, () => 0);
  /** Asks until an error; → its code, with the last answer. */
  const askOn = async (_: unknown, index: number) => {
    const ask = keep(port);
    let last: readonly unknown[] = [text];
    for (; last[0] === text; counts[index] = (counts[index] ?? 0) + 1) {
      try {
        last = await ask();
      } catch (error) {
        return [error instanceof Error && 'code' in error ? error.code : error, ...last];
      }
      await pause(index % 5);
    }
    return last;
  };
  const asking = counts.map(askOn);
  await until(() => Math.min(...counts) > 10);
  child.kill('SIGTERM');
  expect(await Promise.all(asking)).toEqual(counts.map(() => ['ECONNREFUSED', text, 'close']));
  expect(await ended).toMatchObject(clean);
});
