import { tracing } from '@opentelemetry/sdk-node';
import { expect, it } from 'vitest';
import { result, stackInTest } from '../support/harness.ts';
import { serveMetrics } from '../support/metrics.ts';
import { withIds } from '../support/world/ids.ts';

/** Stands in each e-mail address, and in each address of a caller. */
const person = 'cnry';
const document = withIds(`{ organization(organizationId: "organization-1") {
  activities { id … }
  invitations { id … }
  members { id … }
} }`);
const personal = ['actorDetails actorIpAddress userAgent', 'email', 'name email'];
const selecting = (...fields: readonly string[]): string =>
  fields.reduce((text, each) => text.replace('…', each), document);

it.each([
  ['as it should', person],
  ['as another type', { [person]: [person] }],
])(
  'personal data that comes %s is answered where it is selected, and stands nowhere else',
  async (_, value) => {
    const exporter = new tracing.InMemorySpanExporter();
    const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
    const provider = new tracing.BasicTracerProvider({ spanProcessors });
    const record = {
      ...{
        actorDetails: value,
        actorIpAddress: value,
        userAgent: value,
        email: value,
        name: value,
      },
      organizationId: person,
    };
    const stack = await stackInTest({
      // The row without an identifier is complained of.
      management: () => result([{ id: 'x', userId: 'x', ...record }, record, person]),
      config: { managementProfile: 'clickhouse-cloud', metricsPort: 0 },
      gateway: {
        tracing: { tracer: provider.getTracer('test'), stop: () => provider.forceFlush() },
      },
    });
    const scrape = await serveMetrics(stack.gateway);

    const shown = await stack.query(selecting(...personal));
    const names = personal.join(' ').split(' ');
    const isText = typeof value === 'string';
    expect(shown.text.match(/cnry/g)?.length ?? 0).toBe(isText ? names.length : 0);
    expect(shown.body.errors?.length ?? 0).toBe(isText ? 0 : names.length);
    expect((await stack.query(selecting('createdAt', 'createdAt', 'joinedAt'))).text).not.toContain(
      person,
    );

    const spans = exporter.getFinishedSpans().map(({ name, attributes, events }) => ({
      ...{ name, attributes, events },
    }));
    expect(spans.length).toBeGreaterThan(4);
    expect(stack.complaints()).toContain('listActivities');
    const elsewhere = [JSON.stringify(spans), stack.log(), (await scrape()).text];
    expect(elsewhere.filter((text) => text === '' || text.includes(person))).toEqual([]);
  },
);
