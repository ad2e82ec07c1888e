import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { describe, expect, it } from 'vitest';
import { run, until } from '../../support/process/run-main.ts';

const clients = 20;

const start = async () => {
  const gateway = run({
    ...{ MANAGEMENT_URL: 'http://127.0.0.1:1', OBSERVABILITY_URL: 'http://127.0.0.1:1' },
    PORT: '0',
  });
  const { port } = await gateway.logged('listening');
  return { ...gateway, port: Number(port) };
};

const path = '/graphql?query={__typename}';
const expected = '{"data":{"__typename":"Query"}}';

/** Asks once: the answer, and what became of the connection. */
type Ask = () => Promise<{ readonly text: string; readonly connection: unknown }>;

const withNode = (port: number): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return () =>
    new Promise((resolve, reject) => {
      const asked = request({ agent, port, path, host: '127.0.0.1' }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('error', reject);
        answer.on('end', () => resolve({ text, connection: answer.headers.connection }));
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

/** Asks again and again, and gives the error that ends it, and what its last answer said of the connection. */
const askOn = async (ask: Ask, index: number, onAnswer: () => void) => {
  let connection: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer.text !== expected) return { code: answer.text, connection };
      connection = answer.connection;
      onAnswer();
    } catch (error) {
      return { code: error instanceof Error && 'code' in error ? error.code : error, connection };
    }
    await pause(index % 5);
  }
};

describe.each([
  ['node:http', withNode],
  ['undici', withUndici],
])('clients of %s that keep their connections, when the gateway is told to stop,', (_, connect) => {
  it('get an answer to all that they send, and are told that the connection closes', async () => {
    const { child, port, ended } = await start();
    const answers = Array.from({ length: clients }, () => 0);
    const asking = answers.map((__, index) =>
      askOn(connect(port), index, () => {
        answers[index] = (answers[index] ?? 0) + 1;
      }),
    );
    await until(() => Math.min(...answers) > 10);
    child.kill('SIGTERM');
    const outcomes = await Promise.all(asking);
    expect(outcomes).toEqual(outcomes.map(() => ({ code: 'ECONNREFUSED', connection: 'close' })));
    expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
  });
});

it('a request that comes on an idle connection after the signal is answered', async () => {
  const { child, port, ended, logged } = await start();
  const ask = withNode(port);
  expect(await ask()).toEqual({ text: expected, connection: 'keep-alive' });
  child.kill('SIGTERM');
  await logged('stopping');
  expect(await ask()).toEqual({ text: expected, connection: 'close' });
  expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
});
