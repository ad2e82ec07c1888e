import { expect, it } from 'vitest';
import { data, result } from '../../support/harness.ts';
import { until } from '../../support/process/run-main.ts';
import { startCollector } from '../../support/traces/collector.ts';
import { startProcess } from '../../support/traces/gateway.ts';

it('a collector that does not answer keeps the gateway no longer than requests may', async () => {
  const collector = await startCollector('never');
  const gateway = await startProcess({
    management: () => result([]),
    observability: () => data([]),
    env: {
      ...collector.env,
      // The SDK would wait for so long.
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
      OTEL_BSP_EXPORT_TIMEOUT: '3600000',
    },
  });
  await gateway.query('{ alerts { name } }');
  await until(() => collector.requests.length > 0);
  expect(await gateway.stop()).toMatchObject({ code: 0 });
  expect(gateway.lines('the last spans were not exported')).toMatchObject([
    { kind: 'TimeoutError' },
  ]);
  expect(gateway.lines('stopped')).toHaveLength(1);
});
