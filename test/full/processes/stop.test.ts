import { once } from 'node:events';
import { Agent, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { describe, expect, it } from 'vitest';
import { run, sendAlerts, until } from '../../support/process/run-main.ts';
import { serve } from '../../support/servers.ts';
import { subscribe } from '../../support/subscribe.ts';
import { withIds } from '../../support/world/ids.ts';

const callers = Array.from({ length: 100 }, (_, index) => index);
const organizationId = withIds('organization-1');
const clean = { code: 0, signal: null, errors: '' };

/** Answers with the name of whoever asks. */
const answer = (response: ServerResponse): void => {
  const [scheme, value = ''] = String(response.req.headers.authorization).split(' ');
  const sent =
    scheme === 'Basic'
      ? { status: 200, result: { id: organizationId, name: atob(value) } }
      : { data: [{ id: 'a1', name: value }] };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(sent));
};

/** The gateway, whose two upstreams answer nothing before they are told to. */
const start = async (env: Readonly<Record<string, string>> = {}) => {
  const held: ServerResponse[] = [];
  const { origin } = await serve((_, response) => void held.push(response));
  const urls = { MANAGEMENT_URL: origin, OBSERVABILITY_URL: origin };
  const gateway = run({ ...urls, PORT: '0', UPSTREAM_CONNECTIONS: '100', ...env });
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}`;
  /** One read for each caller, half of them of either upstream; each with a credential of its own. */
  const ask = async (caller: number): Promise<unknown> => {
    const [authorization, query] =
      caller % 2 === 0
        ? [
            `Basic ${btoa(`caller:${caller}`)}`,
            `{ organization(id: "${organizationId}") { name } }`,
          ]
        : [`Bearer caller:${caller}`, '{ alerts { name } }'];
    const accept = caller % 3 === 0 ? 'application/graphql-response+json' : 'application/json';
    const headers = { 'content-type': 'application/json', accept, authorization };
    const body = JSON.stringify({ query });
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    return response.json();
  };
  return { ...gateway, held, url, port: Number(port), ask };
};

const expected = callers.map((caller) => {
  const name = `caller:${caller}`;
  return { data: caller % 2 === 0 ? { organization: { name } } : { alerts: [{ name }] } };
});

describe('a gateway that is told to stop during 100 operations', () => {
  it('has every one answered, also those that wait for a connection, and ends with 0', async () => {
    const { child, held, url, port, ask, logged, ended } = await start({
      UPSTREAM_CONNECTIONS: '5',
    });
    const asked = callers.map(ask);
    await until(() => held.length === 8);
    // Requests that are answered say that those sent before them have been read.
    for (const _ of [1, 2]) await fetch(`${url}/healthz`);
    child.kill('SIGTERM');
    await logged('stopping');
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    const answers = Promise.all(asked);
    const all = answers.then(() => 'all');
    while ((await Promise.race([all, pause(5)])) !== 'all') held.splice(0).forEach(answer);
    expect(await answers).toEqual(expected);
    expect(await ended).toMatchObject(clean);
  });

  it('has those that nobody answers end by their own deadline', async () => {
    const limits = { OPERATION_TIMEOUT_MS: '2000', WRITE_TIMEOUT_MS: '2000' };
    const { child, held, ask, logged, ended } = await start(limits);
    const asked = callers.map(ask);
    await until(() => held.length >= callers.length);
    child.kill('SIGTERM');
    await logged('stopping');
    for (const body of await Promise.all(asked)) {
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }] });
    }
    expect(await ended).toMatchObject(clean);
  });
});

it('a hundred streams are ended properly', async () => {
  const { origin } = await serve((_, response) => sendAlerts(response));
  const gateway = run({ MANAGEMENT_URL: origin, OBSERVABILITY_URL: origin, PORT: '0' });
  const { port } = await gateway.logged('listening');
  const open = (index: number) =>
    subscribe(`http://127.0.0.1:${port}/graphql`, 'subscription { alerts { name } }', {
      headers: { 'observability-authorization': `Bearer token-${index % 10}` },
    });
  const streams = await Promise.all(callers.map(open));
  await Promise.all(streams.map((stream) => stream.event(1)));
  gateway.child.kill('SIGTERM');
  await Promise.all(streams.map(({ ended }) => ended));
  expect(streams.every(({ isComplete, response }) => isComplete && response.complete)).toBe(true);
  expect(await gateway.ended).toMatchObject(clean);
  const ends = gateway.lines('subscription').map((line) => line.ended);
  expect(ends).toEqual(callers.map(() => 'gateway stops'));
});

const path = '/graphql?query={__typename}';

/** Asks once: the answer, and what becomes of the connection. */
type Ask = () => Promise<{ readonly text: string; readonly connection: unknown }>;

const withNode = (port: number): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return () =>
    new Promise((resolve, reject) => {
      const asked = request({ agent, port, path, host: '127.0.0.1' }, (response) => {
        const { connection } = response.headers;
        response.toArray().then((chunks) => resolve({ text: chunks.join(''), connection }), reject);
      });
      asked.on('error', reject).end();
    });
};

const withUndici = (port: number): Ask => {
  const client = new Client(`http://127.0.0.1:${port}`);
  return async () => {
    const { body, headers } = await client.request({ path, method: 'GET' });
    return { text: await body.text(), connection: headers.connection };
  };
};

describe('connections that are kept', () => {
  const text = '{"data":{"__typename":"Query"}}';

  it.each([
    ['node:http', withNode],
    ['undici', withUndici],
  ])('%s gets an answer to all that it sends, and is told that they close', async (_, open) => {
    const { child, port, ended } = await start();
    const counts = Array.from({ length: 20 }, () => 0);
    /** Asks until an error, whose code it gives with what the last answer said of the connection. */
    const askOn = async (ask: Ask, index: number) => {
      let connection: unknown;
      for (;;) {
        try {
          const got = await ask();
          if (got.text !== text) return [got.text, connection];
          connection = got.connection;
          counts[index] = (counts[index] ?? 0) + 1;
        } catch (error) {
          return [error instanceof Error && 'code' in error ? error.code : error, connection];
        }
        await pause(index % 5);
      }
    };
    const asking = counts.map((__, index) => askOn(open(port), index));
    await until(() => Math.min(...counts) > 10);
    child.kill('SIGTERM');
    expect(await Promise.all(asking)).toEqual(counts.map(() => ['ECONNREFUSED', 'close']));
    expect(await ended).toMatchObject(clean);
  });

  it('are answered also where a request comes on an idle one after the signal', async () => {
    const { child, port, ended, logged } = await start();
    const ask = withNode(port);
    expect(await ask()).toEqual({ text, connection: 'keep-alive' });
    child.kill('SIGTERM');
    await logged('stopping');
    expect(await ask()).toEqual({ text, connection: 'close' });
    expect(await ended).toMatchObject(clean);
  });
});
