import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ClientErrorCode, GatewayErrorCode } from '../../client/src/index.ts';

/** As types these are complete: the compiler refuses a code more and a code less. */
const gatewayCodes: Readonly<Record<GatewayErrorCode, true>> = {
  BAD_USER_INPUT: true,
  UNAUTHENTICATED: true,
  FORBIDDEN: true,
  NOT_FOUND: true,
  RATE_LIMITED: true,
  UPSTREAM_TIMEOUT: true,
  UPSTREAM_UNAVAILABLE: true,
  UPSTREAM_BAD_RESPONSE: true,
  UPSTREAM_ERROR: true,
  UPSTREAM_BUDGET_EXCEEDED: true,
  OPERATION_UNAVAILABLE: true,
  INTERNAL_SERVER_ERROR: true,
  GRAPHQL_PARSE_FAILED: true,
  GRAPHQL_VALIDATION_FAILED: true,
  OPERATION_RESOLUTION_FAILURE: true,
  BAD_REQUEST: true,
  REQUEST_ENTITY_TOO_LARGE: true,
  LIMIT_EXCEEDED: true,
  PERSISTED_OPERATION_NOT_FOUND: true,
  PERSISTED_OPERATION_REQUIRED: true,
};
const clientCodes: Readonly<Record<ClientErrorCode, true>> = {
  NETWORK_ERROR: true,
  BAD_ANSWER: true,
  BAD_CREDENTIAL: true,
};

describe('the codes', () => {
  const readmeOf = (path: string): string =>
    readFileSync(new URL(`../../${path}README.md`, import.meta.url), 'utf8');

  it("are all that the gateway's README names, and those that the server itself gives", () => {
    const [, errors = ''] = readmeOf('').split(/^(?=`field` is the path of)/m);
    const [named = ''] = errors.split(/^## /m);
    const codes = new Set([...named.matchAll(/`([A-Z]+_?[A-Z_]+)`/g)].map(([, code]) => code));
    expect([...codes, 'OPERATION_RESOLUTION_FAILURE'].sort()).toEqual(
      Object.keys(gatewayCodes).sort(),
    );
  });

  it("and the client's own, as its README lists them", () => {
    const rows = [...readmeOf('client/').matchAll(/^\| `([A-Z_]+)` \|/gm)];
    expect(rows.map(([, code]) => code).sort()).toEqual(Object.keys(clientCodes).sort());
  });
});
