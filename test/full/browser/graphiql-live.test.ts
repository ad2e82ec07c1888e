import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser, photograph } from '../../support/browser/chromium.ts';
import { openGraphiql } from '../../support/browser/graphiql.ts';
import { startGraphiql } from '../../support/graphiql-gateway.ts';

const { organizationId, services, pipes } = world.management.main;

describeInBrowser('GraphiQL', () => {
  it('runs a subscription, and shows a change without being asked', async () => {
    const gateway = await startGraphiql('demo');
    onTestFinished(gateway.close);
    const { graphiql, page, complaints } = await openGraphiql(gateway.url);
    const ids = `organizationId: "${organizationId}", serviceId: "${services.production}"`;
    await graphiql.write(
      'operation.graphql',
      `subscription Now { pipe(${ids}, pipeId: "${pipes.clickstream}") { name state } }`,
    );
    await page.getByRole('button', { name: 'Execute query' }).click();
    const state = async () =>
      JSON.parse((await graphiql.textOf('response.json')) || '{}').data?.pipe.state;
    await expect.poll(state).toBe('Running');

    const stopped = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'management-authorization': gateway.management,
      },
      body: JSON.stringify({
        query: `mutation { stopPipe(input: {${ids}, pipeId: "${pipes.clickstream}"}) { userErrors { code } } }`,
      }),
    });
    expect((await stopped.json()).data.stopPipe.userErrors).toEqual([]);
    await expect.poll(state).toMatch(/^Stop/);
    await photograph(page, 'graphiql-subscription');
    expect(complaints).toEqual([]);
  });
});
