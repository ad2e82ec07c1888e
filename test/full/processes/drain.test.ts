import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { run, until } from '../../support/process/run-main.ts';
import { serve } from '../../support/servers.ts';
import { withIds } from '../../support/world/ids.ts';

const running = 100;
const organizationId = withIds('organization-1');

interface Held {
  readonly response: ServerResponse;
  readonly credential: string;
  readonly isManagement: boolean;
}

/** A backend of both upstreams that answers nothing before it is told to. */
const startBackend = async () => {
  const held: Held[] = [];
  const { origin } = await serve((request, response) => {
    const { authorization = '' } = request.headers;
    held.push({
      response,
      credential: authorization,
      isManagement: authorization.startsWith('Basic'),
    });
  });
  const answer = ({ response, credential, isManagement }: Held): void => {
    response.setHeader('content-type', 'application/json');
    const name = isManagement ? atob(credential.slice('Basic '.length)) : credential;
    response.end(
      JSON.stringify(
        isManagement
          ? { status: 200, requestId: 'r', result: { id: organizationId, name } }
          : { data: [{ id: 'a1', name }] },
      ),
    );
  };
  return { url: origin, held, answer };
};

const start = async (env: Readonly<Record<string, string>> = {}) => {
  const backend = await startBackend();
  const gateway = run({
    MANAGEMENT_URL: backend.url,
    OBSERVABILITY_URL: backend.url,
    PORT: '0',
    // Credentials without a success may have three quarters of them.
    UPSTREAM_CONNECTIONS: '100',
    ...env,
  });
  const { port } = await gateway.logged('listening');
  /** One read for each caller, half of them of either upstream; each with a credential of its own. */
  const ask = async (caller: number) => {
    const isManagement = caller % 2 === 0;
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: caller % 3 === 0 ? 'application/graphql-response+json' : 'application/json',
        authorization: isManagement ? `Basic ${btoa(`caller:${caller}`)}` : `Bearer ${caller}`,
      },
      body: JSON.stringify({
        query: isManagement
          ? `{ organization(id: "${organizationId}") { name } }`
          : '{ alerts { name } }',
      }),
    });
    return { status: response.status, body: await response.json() };
  };
  const expected = (caller: number) => ({
    status: 200,
    body: {
      data:
        caller % 2 === 0
          ? { organization: { name: `caller:${caller}` } }
          : { alerts: [{ name: `Bearer ${caller}` }] },
    },
  });
  return { ...gateway, backend, port: Number(port), ask, expected };
};

const callers = Array.from({ length: running }, (_, index) => index);

/** What becomes of a new connection. */
const knock = async (port: number): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => 'taken'),
    once(socket, 'error').then(([error]) => String(error.code)),
  ]).catch((error) => String(error.code));
  socket.destroy();
  return outcome;
};

describe.each(['SIGTERM', 'SIGINT'] as const)('%s during 100 running operations', (signal) => {
  it('lets every one be answered, takes nothing new, and ends with 0', async () => {
    const { child, backend, ask, expected, logged, ended, port } = await start();
    const asked = callers.map(ask);
    await until(() => backend.held.length === running);
    child.kill(signal);
    await logged('stopping');
    expect(await knock(port)).toBe('ECONNREFUSED');
    await expect(ask(1)).rejects.toThrow('fetch failed');
    for (const held of backend.held) backend.answer(held);
    expect(await Promise.all(asked)).toEqual(callers.map(expected));
    expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
  });
});

it('operations that wait for a connection are answered too', async () => {
  const { child, backend, ask, expected, logged, ended, port } = await start({
    UPSTREAM_CONNECTIONS: '5',
  });
  const asked = callers.map(ask);
  await until(() => backend.held.length === 8);
  // Requests that are answered say that those sent before them have been read.
  for (const _ of [1, 2]) await fetch(`http://127.0.0.1:${port}/healthz`);
  child.kill('SIGTERM');
  await logged('stopping');
  let next = 0;
  const answering = setInterval(() => {
    for (; next < backend.held.length; next += 1) {
      const held = backend.held[next];
      if (held) backend.answer(held);
    }
  }, 5);
  const answers = await Promise.allSettled(asked);
  clearInterval(answering);
  expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'lost'))).toEqual(
    callers.map(expected),
  );
});

it('operations that nobody answers end by their own deadline, and the process with 0', async () => {
  const { child, backend, ask, logged, ended } = await start({
    OPERATION_TIMEOUT_MS: '2000',
    WRITE_TIMEOUT_MS: '2000',
  });
  const asked = callers.map(ask);
  await until(() => backend.held.length >= running);
  child.kill('SIGTERM');
  await logged('stopping');
  for (const { status, body } of await Promise.all(asked)) {
    expect(status).toBe(200);
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  }
  expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
});

it.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
] as const)('%s and then %s ends it at once', async (first, second) => {
  const { child, backend, ask, logged, ended } = await start();
  const asked = callers.map((caller) =>
    ask(caller).then(
      () => 'answered',
      () => 'cut off',
    ),
  );
  await until(() => backend.held.length === running);
  child.kill(first);
  await logged('stopping');
  // Until then the same one counts as the first, which npm may pass on.
  if (first === second) await pause(600);
  child.kill(second);
  // The backend still holds every call: whoever waited for it would not end.
  expect(await ended).toMatchObject({ code: 1, errors: '' });
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['cut off']));
});
