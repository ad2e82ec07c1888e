import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import {
  type OperationCase,
  cases as operationCases,
  sizes,
} from '../calls/upstream-calls/cases.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  json,
  type Stack,
  startStack,
  unpaced,
  unpacedEnvironment,
  wide,
} from '../support/harness.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const { managementRate, observabilityRate, readCacheBytes } = readConfig({
  MANAGEMENT_URL: 'http://management.invalid',
  OBSERVABILITY_URL: 'http://observability.invalid',
  ...unpacedEnvironment,
});
/** What the three variables that switch pacing and memory off come to. */
const switchedOff: Partial<Config> = { managementRate, observabilityRate, readCacheBytes };

it('the other tests run with pacing and memory off', () => {
  expect(switchedOff).toEqual(unpaced);
});

const cases = operationCases
  .filter(({ profile }) => profile === undefined)
  .map((operationCase) => [operationCase.title, operationCase] as const);

const startWorld = (config: Partial<Config>): Promise<Stack> =>
  startStack({ ...createBackend(worldOf(sizes)), config: { ...wide, ...config } });

interface Fault {
  readonly extensions: { readonly code: string };
}

/** The calls of one operation, sorted, and what its caller sees. */
const run = async (
  stack: Stack,
  { document, variables }: OperationCase,
  headers: Readonly<Record<string, string>> = {},
) => {
  stack.calls.length = 0;
  const {
    status,
    headers: answered,
    body,
  } = await stack.query(withIds(document), {
    variables,
    headers,
  });
  return {
    calls: stack.callList().map(withNames).sort(),
    status,
    age: answered.get('age'),
    body: { data: body.data, errors: body.errors?.map(({ extensions }: Fault) => extensions.code) },
    extensions: body.extensions,
  };
};

describe('with pacing and memory off', () => {
  let stack: Stack;
  let harness: Stack;
  beforeAll(async () => {
    stack = await startWorld(switchedOff);
    harness = await startStack({ ...createBackend(worldOf(sizes)), config: wide });
  });
  afterAll(async () => {
    await stack.close();
    await harness.close();
  });

  it.each(cases)('%s: the same calls each time', async (_, operationCase) => {
    const first = await run(stack, operationCase);
    expect(first.calls).toEqual([...operationCase.calls].sort());
    expect(first).toMatchObject({ status: 200, age: null, extensions: undefined });
    // Nothing that was read is kept for the next one, whatever that says.
    expect(await run(stack, operationCase)).toEqual(first);
    expect(await run(stack, operationCase, { 'cache-control': 'max-age=60' })).toEqual(first);
    expect(await run(harness, operationCase)).toEqual(first);
  });

  it('explain tells of no wait, no memory and no budget', async () => {
    for (const [, operationCase] of cases) {
      const { extensions, calls } = await run(stack, operationCase, { 'sluice-explain': '1' });
      expect(extensions.budget).toEqual({ management: null, observability: null });
      expect(extensions.upstream).toHaveLength(calls.length);
      for (const call of extensions.upstream) {
        expect(call).toMatchObject({ cache: 'miss', waitedMilliseconds: 0, ageSeconds: null });
      }
    }
  });
});

it('thirty calls of one credential are under way at once, each by itself', async () => {
  const gate = createGate();
  const stack = await startStack({
    management: gate.answering,
    observability: () => json({}, 500),
    config: { ...wide, ...switchedOff },
  });
  onTestFinished(() => stack.close());
  const thirty = numbers(30);
  const answers = thirty.map((number) =>
    stack.query(
      withIds(
        `{ service(organizationId: "organization-1", serviceId: "service-${number}") { name } }`,
      ),
    ),
  );
  await gate.arrived(30);
  expect(stack.callList().map(withNames).sort()).toEqual(
    thirty
      .map((number) => `GET /v1/organizations/organization-1/services/service-${number}`)
      .sort(),
  );
  const backend = createBackend(worldOf({ ...sizes, services: 30 }));
  for (const { call, answer } of gate.calls) answer(await backend.management(call));
  for (const [index, { body }] of (await Promise.all(answers)).entries()) {
    expect(body).toEqual({ data: { service: { name: `Service ${index + 1}` } } });
  }
});
