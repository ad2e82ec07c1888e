import { isAsyncIterable } from 'graphql-yoga';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { mapParts, type Part } from '../../../src/plugins/parts.ts';
import type { GatewayPlugin } from '../../../src/plugins/plugin.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import { openGraphiql } from '../../support/browser/graphiql.ts';
import { startGraphiql } from '../../support/graphiql-gateway.ts';

describeInBrowser('GraphiQL', () => {
  it('lays the later parts of a response into the first, and passes over empty ones', async () => {
    let emptyParts = 0;
    const count = (part: Part): Part => {
      if (!part.data && !part.incremental && part.hasNext) emptyParts += 1;
      return part;
    };
    const counting: GatewayPlugin = {
      onResultProcess: ({ result, setResult }) => {
        if (isAsyncIterable(result)) setResult(mapParts(result, { onPart: count }));
      },
    };
    const gateway = await startGraphiql(
      'demo',
      { MANAGEMENT_RATE: '3/1s' },
      { silenceMs: 100, plugins: [counting] },
    );
    onTestFinished(gateway.close);
    const { graphiql, page, complaints } = await openGraphiql(gateway.url);
    await graphiql.write(
      'operation.graphql',
      `query Later { organization(id: "${world.management.main.organizationId}") { name services { name ... @defer { pipes { name } } } } }`,
    );
    await page.getByRole('button', { name: 'Execute query' }).click();
    const shown = async () => JSON.parse((await graphiql.textOf('response.json')) || '{}');
    await expect
      .poll(async () => (await shown()).data?.organization.services)
      .toEqual(
        Array.from({ length: 4 }, () => ({ name: expect.any(String), pipes: expect.any(Array) })),
      );
    expect((await shown()).data.organization.name).toBe('Northwind Analytics');
    expect(emptyParts).toBeGreaterThan(2);
    expect(complaints).toEqual([]);
  });
});
