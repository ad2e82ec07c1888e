import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import { openGraphiql } from '../../support/browser/graphiql.ts';
import { startGraphiql } from '../../support/graphiql-gateway.ts';

describeInBrowser('GraphiQL', () => {
  it('lays the later parts of a response into the first', async () => {
    const gateway = await startGraphiql('demo');
    onTestFinished(gateway.close);
    const { graphiql, page, complaints } = await openGraphiql(gateway.url);
    await graphiql.write(
      'operation.graphql',
      `query Later { organization(id: "${world.management.main.organizationId}") { name services { name ... @defer { pipes { name } } } } }`,
    );
    await page.getByRole('button', { name: 'Execute query' }).click();
    const shown = async () => JSON.parse((await graphiql.textOf('response.json')) || '{}');
    await expect
      .poll(async () => (await shown()).data?.organization.services[0].pipes)
      .toEqual(expect.arrayContaining([{ name: expect.any(String) }]));
    expect((await shown()).data.organization.name).toBe('Northwind Analytics');
    expect(complaints).toEqual([]);
  });
});
