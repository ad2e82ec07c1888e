import { expect, it } from 'vitest';
import { createBreaker } from '../../src/upstream/breaker.ts';
import { createCallBudget } from '../../src/upstream/call-budget.ts';
import { noCallLog } from '../../src/upstream/call-log.ts';
import { type Cancellation, CancellationSource } from '../../src/upstream/cancellation.ts';
import { createClientFactory } from '../../src/upstream/client.ts';
import { management, observability } from '../../src/upstream/interface.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { createRequestSecrets } from '../../src/upstream/secrets.ts';
import type { Receiver, UpstreamRequest } from '../../src/upstream/transport.ts';
import { createTurns } from '../../src/upstream/turns.ts';

const start = () => {
  const paths: string[] = [];
  const options = {
    transport: {
      send: ({ path }: UpstreamRequest, _: Cancellation, receiver: Receiver): void => {
        paths.push(path);
        receiver.failed(new Error('sent'), undefined);
      },
      close: async () => undefined,
    },
    turns: createTurns({ places: 100_000, maxWaiting: 0 }),
    breaker: createBreaker({ failures: 100, halfOpenMs: 1, onChange: () => undefined }),
    maxRetries: 0,
    addresses: [],
    userAgent: 'test',
    extendedReads: true,
    onUnusableRows: () => undefined,
    onFailure: () => undefined,
  };
  const caller = {
    credential: { kind: 'given', value: 'Bearer one' },
    requestId: 'one',
    traceHeaders: [],
    calls: noCallLog,
    secrets: createRequestSecrets([]),
    arrivals: { any: false },
    budget: createCallBudget(10, 10, 1_000_000),
    cancellation: new CancellationSource(),
  } as const;
  return {
    client: createClientFactory(observabilityOperations, { api: observability, ...options })(
      caller,
    ),
    managementClient: createClientFactory(managementOperations('command'), {
      api: management,
      ...options,
    })(caller),
    paths,
  };
};

it('takes identifiers for checked that were just now, and no others', async () => {
  const { client, paths } = start();
  const failsWith = (reason: string) => ({ failure: { reason } });
  client.check('getDashboard', { dashboardId: 'one' });
  await expect(client.getDashboard({ dashboardId: 'one' })).rejects.toMatchObject(
    failsWith('unreachable'),
  );
  for (const other of ['getDashboard', 'getAlert'] as const) {
    const ids = { dashboardId: '../x', alertId: '../x' };
    await expect(client[other](ids)).rejects.toMatchObject(failsWith('invalid-request'));
  }
  expect(() => client.check('getDashboard', { dashboardId: '../x' })).toThrow('invalid-request');
  await expect(client.getDashboard({ dashboardId: '../x' })).rejects.toMatchObject(
    failsWith('invalid-request'),
  );
  expect(paths).toEqual(['/api/v2/dashboards/one']);
});

it('checks what was changed since, and the bodies of writes with identifiers that were checked', async () => {
  const { client, managementClient, paths } = start();
  const ids = { dashboardId: 'one' };
  client.check('getDashboard', ids);
  ids.dashboardId = '../x';
  await expect(client.getDashboard(ids)).rejects.toMatchObject({
    failure: { reason: 'invalid-request' },
  });
  const service = {
    organizationId: '5b1f0000-0000-4000-8000-000000000001',
    serviceId: '5b1f0000-0000-4000-8000-000000000002',
  };
  // As no type would have it: writes are not checked ahead.
  const checkAnything = managementClient.check.bind(managementClient) as (
    name: string,
    given: object,
  ) => void;
  checkAnything('updateServiceScaling', service);
  await expect(
    managementClient.updateServiceScaling(service, { numReplicas: -1 }),
  ).rejects.toMatchObject({ failure: { reason: 'invalid-request' } });
  expect(paths).toEqual([]);
});
