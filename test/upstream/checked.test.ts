import { expect, it } from 'vitest';
import { SmallMap } from '../../src/small.ts';
import { createBreaker } from '../../src/upstream/breaker.ts';
import { createCallBudget } from '../../src/upstream/call-budget.ts';
import { noCallLog } from '../../src/upstream/call-log.ts';
import { CancellationSource } from '../../src/upstream/cancellation.ts';
import { createClientFactory } from '../../src/upstream/client.ts';
import { observability } from '../../src/upstream/interface.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';

const start = () => {
  const paths: string[] = [];
  const bind = createClientFactory(observabilityOperations, {
    api: observability,
    transport: {
      send: ({ path }, _, receiver) => {
        paths.push(path);
        receiver.failed(new Error('sent'));
      },
      close: async () => undefined,
    },
    breaker: createBreaker({ failures: 100, halfOpenMs: 1, onChange: () => undefined }),
    maxRetries: 0,
    addresses: [],
    userAgent: 'test',
    extendedReads: true,
    onUnusableRows: () => undefined,
    onFailure: () => undefined,
  });
  const client = bind({
    credential: { kind: 'given', value: 'Bearer one' },
    requestId: 'one',
    traceHeaders: [],
    calls: noCallLog,
    secrets: new SmallMap(),
    budget: createCallBudget(10, 10),
    cancellation: new CancellationSource(),
  });
  return { client, paths };
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
