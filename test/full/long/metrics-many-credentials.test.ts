import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
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
  expect(new Set(seen).size).toBeGreaterThan(35);
  expect(Buffer.byteLength(text)).toBeLessThan(200 * 1024);
  expect(text).not.toMatch(/canary|Y2FuYXJ5/);
  for (const value of Object.values(stack.sandbox.credentials.observability.main)) {
    expect(text).not.toContain(value);
  }
  // Identifiers and paths of what was read.
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{24}|\/v1|\/v2/);
});
