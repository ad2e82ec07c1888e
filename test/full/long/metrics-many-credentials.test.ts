import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { managementOperations } from '../../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../../src/upstream/observability/operations.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { serveMetrics } from '../../support/metrics.ts';
import { documents, isSubscription, textOf, variablesOf } from '../../support/operations.ts';

it('stays below 200 KB after 2 000 credentials and every operation, and shows nothing of any request', async () => {
  // Enough for each operation to read all that it needs.
  const rate = { calls: 1000, windowMs: 60_000 };
  // The live services have every operation that there is.
  const stack = await startSandboxStack({
    sandbox: { profile: 'live' },
    config: {
      ...{ managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
      ...{ managementRate: rate, observabilityRate: rate, readCacheBytes: 0, metricsPort: 0 },
    },
  });
  onTestFinished(() => stack.close());
  const scrape = await serveMetrics(stack.gateway);

  // Settings, what scales each replica, and total memory have calls of their own, which not every sample makes.
  const { organizationId, services, pipes } = world.management.main;
  const pipe = { organizationId, serviceId: services.production, pipeId: pipes.archive };
  const input = { ...pipe, settings: { engineMaxThreads: 3 } };
  await stack.query(textOf('UpdatePipe'), { variables: { input } });
  for (const scaling of [{ minReplicas: 2 }, { minTotalMemoryGb: 24 }]) {
    const scaled = { organizationId, serviceId: services.production, ...scaling };
    await stack.query(textOf('UpdateServiceScaling'), { variables: { input: scaled } });
  }
  for (const name of Object.keys(documents)) {
    if (!isSubscription(name)) await stack.query(textOf(name), { variables: variablesOf(name) });
  }
  const askAsOther = (number: number) =>
    stack.query(`query canary_name_${number} { alerts { name } }`, {
      headers: {
        'management-authorization': `Basic ${btoa(`canary${number}:${randomUUID()}`)}`,
        'observability-authorization': `Bearer canary${number}`,
        'x-request-id': `canary-request-${number}`,
      },
    });
  for (let sent = 0; sent < 2000; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => askAsOther(sent + index)));
  }

  const { text, samples } = await scrape();
  const seen = samples.flatMap(({ name, labels }) =>
    name === 'sluice_upstream_calls_total' ? (labels.operation ?? []) : [],
  );
  const rows = { ...managementOperations('command'), ...observabilityOperations };
  expect([...new Set(seen)].sort()).toEqual(Object.keys(rows).sort());
  expect(Buffer.byteLength(text)).toBeLessThan(200 * 1024);
  expect(text).not.toMatch(/canary|Y2FuYXJ5/);
  for (const value of Object.values(stack.sandbox.credentials.observability.main)) {
    expect(text).not.toContain(value);
  }
  // Identifiers and paths of what was read.
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{24}|\/v1|\/v2/);
});
