import '../support/client/built.ts';
import { describe, expect, it } from 'vitest';
import type { ClientErrorCode, GatewayErrorCode } from '../../client/src/index.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';

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
  SERVICE_NOT_RUNNING: true,
  INTERNAL_SERVER_ERROR: true,
  GRAPHQL_PARSE_FAILED: true,
  GRAPHQL_VALIDATION_FAILED: true,
  OPERATION_RESOLUTION_FAILURE: true,
  BAD_REQUEST: true,
  REQUEST_ENTITY_TOO_LARGE: true,
  LIMIT_EXCEEDED: true,
  PERSISTED_OPERATION_REQUIRED: true,
  PERSISTED_QUERY_NOT_FOUND: true,
  PERSISTED_QUERY_NOT_SUPPORTED: true,
};
const clientCodes: Readonly<Record<ClientErrorCode, true>> = {
  NETWORK_ERROR: true,
  BAD_ANSWER: true,
  BAD_CREDENTIAL: true,
};

describe('the codes', () => {
  it('are all that docs/clients.md lists', () => {
    const rows = table(section('docs/clients.md', 'Errors'), 'Code');
    const codes = rows.flatMap(([cell = '']) => cell.match(/\w+/g) ?? []);
    expect(codes.sort()).toEqual(Object.keys(gatewayCodes).sort());
  });

  it("and the client's own, as its README lists them", () => {
    const rows = table(read('client/README.md'), 'Code', 'When');
    expect(firstCells(rows)).toEqual(Object.keys(clientCodes).sort());
  });
});
