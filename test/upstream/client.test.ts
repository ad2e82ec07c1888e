import { expect, it } from 'vitest';
import type { Answer, Call } from '../../src/upstream/call.ts';
import { createClientFactory } from '../../src/upstream/client.ts';
import type { Failure } from '../../src/upstream/error.ts';
import { management, observability } from '../../src/upstream/interface.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { createReader } from '../../src/upstream/reader.ts';
import { answerOf, createTestCaller, type TestCallerOptions } from '../support/upstream/calls.ts';

const start = (answer: Answer = answerOf(), callers: TestCallerOptions = {}) => {
  const paths: string[] = [];
  const failures: Failure[] = [];
  const onFailure = (failure: Failure): void => void failures.push(failure);
  const options = {
    send: async ({ path }: Call): Promise<Answer> => {
      paths.push(path);
      return answer;
    },
    known: { kept: () => undefined, isScarce: () => false },
    reader: createReader({ onUnusableRows: () => undefined, onFailure }),
    extendedReads: true,
    onFailure,
  };
  const bind = {
    observability: createClientFactory(observabilityOperations, { api: observability, ...options }),
    management: createClientFactory(managementOperations('command'), {
      api: management,
      ...options,
    }),
  };
  const caller = createTestCaller(callers);
  return {
    observability: bind.observability(caller),
    management: bind.management(caller),
    /** The same for another request. */
    other: () => bind.observability(createTestCaller(callers)),
    paths,
    failures,
  };
};

const service = {
  organizationId: '5b1f0000-0000-4000-8000-000000000001',
  serviceId: '5b1f0000-0000-4000-8000-000000000002',
};

const failsWith = (reason: string) => ({ failure: { reason } });

it('sends no identifier that could change a path, whether it was checked ahead or not', async () => {
  const { observability: client, paths } = start(answerOf('{"data":{"id":"one"}}'));
  client.check('getDashboard', { dashboardId: 'one' });
  expect(await client.getDashboard({ dashboardId: 'one' })).toEqual({ id: 'one' });
  expect(() => client.check('getDashboard', { dashboardId: '../x' })).toThrow('invalid-request');
  await expect(client.getDashboard({ dashboardId: '../x' })).rejects.toMatchObject(
    failsWith('invalid-request'),
  );
  await expect(client.fresh('getAlert', { alertId: '../x' })).rejects.toMatchObject(
    failsWith('invalid-request'),
  );
  expect(paths).toEqual(['/api/v2/dashboards/one']);
});

it('sends no body that breaks a rule', async () => {
  const { management: client, paths } = start();
  await expect(client.updateServiceScaling(service, { numReplicas: -1 })).rejects.toMatchObject(
    failsWith('invalid-request'),
  );
  expect(paths).toEqual([]);
});

it.each([
  ['no-credential', { kind: 'absent' }],
  ['bad-credential', { kind: 'refused', detail: 'it is empty' }],
] as const)('sends nothing for a caller with %s', async (reason, credential) => {
  const { observability: client, paths } = start(answerOf(), { credential });
  await expect(client.listAlerts()).rejects.toMatchObject(failsWith(reason));
  expect(paths).toEqual([]);
});

it('reads an answer once, however many requests share it', async () => {
  const { observability: client, other } = start(answerOf('{"data":[{"id":"a"}]}'));
  const alerts = await client.listAlerts();
  expect(alerts).toEqual([{ id: 'a' }]);
  expect(await other().listAlerts()).toBe(alerts);
});

it('tells once of an answer that cannot be used, however many requests share it', async () => {
  const { observability: client, other, failures } = start(answerOf('no JSON'));
  for (const each of [client, other()]) {
    await expect(each.listAlerts()).rejects.toMatchObject(failsWith('bad-response'));
  }
  expect(failures).toHaveLength(1);
});

it.each([
  ['of its own', 'r-1', 'r-1'],
  ['that is a secret of the request', 'cnry-key-secret', undefined],
])(
  'of an answer that cannot be used tells the upstream’s id %s: %s as %s',
  async (_, requestId, told) => {
    const { management: client, failures } = start(
      answerOf(JSON.stringify({ status: 500, requestId })),
      { secrets: [`Basic ${btoa('key-id:cnry-key-secret')}`] },
    );
    const error = await client.listOrganizations().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(failsWith('bad-response'));
    expect(failures.map((failure) => failure.requestId)).toEqual([told]);
    expect(error).toMatchObject({ failure: failures[0] });
  },
);
