import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { world } from '../sandbox/world/ids.ts';
import { type Stack, startSandboxStack } from './harness.ts';

const lookAround = readFileSync(
  new URL('../sandbox/operations/1-look-around.graphql', import.meta.url),
  'utf8',
);

describe('upstream calls', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  it('of the nested demo query are these and no others', async () => {
    const { body } = await stack.query(lookAround);
    expect(body.errors).toBeUndefined();
    const { organizationId, services } = world.management.main;
    const organization = `GET /v1/organizations/${organizationId}`;
    expect(stack.callList()).toEqual(
      [
        organization,
        `${organization}/services`,
        ...Object.values(services).flatMap((id) => [
          `${organization}/services/${id}/pipes`,
          `${organization}/services/${id}/backupConfiguration`,
        ]),
        'GET /api/v2/dashboards',
        'GET /api/v2/alerts',
      ].sort(),
    );
  });
});
