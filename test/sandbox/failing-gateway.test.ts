import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { readConfig } from '../../src/config.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { graphqlPath } from '../../src/gateway/yoga.ts';
import { createLog } from '../../src/log.ts';
import { credentials, open } from '../support/sandbox/harness.ts';

const { management: keys, observability: tokens } = credentials.failing;

type PageError = {
  readonly path: readonly string[];
  readonly extensions: { readonly code: string; readonly retryAfterSeconds?: number };
};

/** A gateway on a sandbox with its limits, as in the demo; the errors that a page gets. */
const openDemo = async () => {
  const { sandbox } = await open({ limits: true });
  const gateway = createGateway({
    config: readConfig({
      MANAGEMENT_URL: sandbox.managementUrl,
      OBSERVABILITY_URL: sandbox.observabilityUrl,
    }),
    log: createLog({ write: () => undefined }),
  });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  onTestFinished(async () => {
    gateway.server.closeAllConnections();
    await gateway.close();
  });
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return async (query: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`http://127.0.0.1:${address.port}${graphqlPath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    // The one place where JSON enters: only the members below are looked at.
    const { errors } = (await response.json()) as { readonly errors: readonly PageError[] };
    return errors;
  };
};

const expectedErrors: readonly (readonly [Fault, string, number | undefined])[] = [
  ['tooManyRequests', 'RATE_LIMITED', 30],
  ['serverError', 'UPSTREAM_ERROR', undefined],
  ['unavailable', 'UPSTREAM_UNAVAILABLE', 30],
  ['html', 'UPSTREAM_BAD_RESPONSE', undefined],
  ['cut', 'UPSTREAM_UNAVAILABLE', undefined],
];

describe('through the gateway', () => {
  it.each(expectedErrors)('%s becomes %s', async (fault, code, retryAfterSeconds) => {
    const ask = await openDemo();
    const errors = await ask('{ organizations { name } alerts { name } }', {
      'management-authorization': keys[fault].header,
      'observability-authorization': tokens[fault].header,
    });
    const seen = errors.map(({ path: [field], extensions }) => [
      field,
      extensions.code,
      extensions.retryAfterSeconds,
    ]);
    expect(seen.sort()).toEqual([
      ['alerts', code, retryAfterSeconds],
      ['organizations', code, retryAfterSeconds],
    ]);
  });
});
