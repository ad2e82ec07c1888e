import { describe, expect, it } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { startGateway } from '../support/gateway.ts';
import { credentials, open } from '../support/sandbox/harness.ts';

const { management: keys, observability: tokens } = credentials.failing;

type PageError = {
  readonly path: readonly string[];
  readonly extensions: { readonly code: string; readonly retryAfterSeconds?: number };
};

/** A gateway on a sandbox with its limits, as in the demo; the errors that a page gets. */
const openDemo = async () => {
  const { sandbox } = await open({ limits: true });
  const { url } = await startGateway({
    MANAGEMENT_URL: sandbox.managementUrl,
    OBSERVABILITY_URL: sandbox.observabilityUrl,
  });
  return async (query: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url, {
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
  ['proxyTimeout', 'UPSTREAM_TIMEOUT', undefined],
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
