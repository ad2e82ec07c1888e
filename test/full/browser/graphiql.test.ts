import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { startGraphiql } from '../../support/graphiql-gateway.ts';
import { post } from '../../support/http/requests.ts';
import { describeInBrowser, openPage } from './chromium.ts';
import { storedBy, useGraphiql } from './graphiql.ts';

const start = async (...options: Parameters<typeof startGraphiql>) => {
  const gateway = await startGraphiql(...options);
  onTestFinished(gateway.close);
  return gateway;
};

const open = async (...options: Parameters<typeof startGraphiql>) => {
  const gateway = await start(...options);
  const opened = await openPage(gateway.url);
  return { ...gateway, ...opened, graphiql: await useGraphiql(opened.page) };
};

const { organizationId, services, pipes } = world.management.main;
const ids = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };
const pipe = `organizationId: "${organizationId}", serviceId: "${services.production}", pipeId: "${pipes.clickstream}"`;

const jobs = [
  ...['LookAround', 'ServicesWithPipes', 'PipeNow', 'BoardWithAlerts'],
  ...['BoardInParts', 'AlertsLive', 'NewDashboard', 'NewPipe'],
];
/** Those whose tabs have other operations too: the button asks which to run. */
const ofSeveral = ['ServicesWithPipes', 'PipeNow'];

describeInBrowser('GraphiQL in the demo', () => {
  it('runs every tab as it is, with the credentials and variables of its panes, and asks nobody else', async () => {
    const { graphiql, page, elsewhere, complaints } = await open('demo');
    expect(await graphiql.tabNames()).toEqual(jobs);
    expect(await graphiql.textOf('response.json')).toBe('');
    const shown = () => page.locator('.graphiql-editor-tools .active').textContent();
    expect(await shown()).toBe('Headers');
    for (const job of jobs) {
      // Their answers come in parts; see the tests below.
      if (['BoardInParts', 'AlertsLive'].includes(job)) continue;
      await graphiql.openTab(job);
      const answer = JSON.parse(await graphiql.run(ofSeveral.includes(job) ? job : undefined));
      expect([job, answer.errors]).toEqual([job, undefined]);
      expect(JSON.stringify(answer.data), job).not.toMatch(/"userErrors":\[\{/);
    }
    // The tab is named after the operation that ran last, which is refused as nothing has stopped yet.
    await graphiql.openTab('PipeNow');
    await expect.poll(shown).toBe('Variables');
    expect(await graphiql.run('StartPipeNow')).toContain('"userErrors":[{');
    const renamed = jobs.map((job) => (job === 'PipeNow' ? 'StartPipeNow' : job));
    await expect.poll(() => graphiql.tabNames()).toEqual(renamed);
    // Kept some time after the query; a reload looks for the tab that has both.
    const variables = await graphiql.textOf('variables.json');
    await expect.poll(() => graphiql.stored('variables')).toBe(variables);
    await page.reload();
    await useGraphiql(page);
    await expect.poll(shown).toBe('Variables');
    expect(await graphiql.textOf('variables.json')).toContain(world.management.main.pipes.orders);
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });

  it('runs a subscription, and shows a change without being asked', async () => {
    const { url, management, graphiql, complaints } = await open('demo');
    const query = `subscription Now { pipe(${pipe}) { name state } }`;
    await graphiql.write('operation.graphql', query);
    await graphiql.execute();
    const state = async () => (await graphiql.answer()).data?.pipe.state;
    await expect.poll(state).toBe('Running');
    const stop = `mutation { stopPipe(input: {${pipe}}) { userErrors { code } } }`;
    await post(url, stop, { 'management-authorization': management });
    await expect.poll(state).toMatch(/^Stop/);
    expect(complaints).toEqual([]);
  });

  it('lays the later parts of a response into the first, and passes over empty ones', async () => {
    const { graphiql, page } = await open('demo', { MANAGEMENT_RATE: '3/1s' }, { silenceMs: 100 });
    const services = 'services { name ... @defer { pipes { name } } }';
    const query = `query Later { organization(organizationId: "${organizationId}") { name ${services} } }`;
    await graphiql.write('operation.graphql', query);
    await page.evaluate(`(() => {
      const { fetch } = window;
      window.fetch = async (...args) => {
        const response = await fetch(...args);
        window.sent = response.clone().text();
        return response;
      };
    })()`);
    await graphiql.execute();
    const shown = async () => (await graphiql.answer()).data?.organization;
    const service = { name: expect.any(String), pipes: expect.any(Array) };
    await expect
      .poll(shown)
      .toEqual({ name: 'Northwind Analytics', services: [service, service, service, service] });
    expect((await page.evaluate<string>('sent')).split('{"hasNext":true}').length).toBeGreaterThan(
      3,
    );
  });
});

describeInBrowser('GraphiQL of a deployment', () => {
  it('sends no credential until one is filled in, and forgets it with a reload, but not the tabs', async () => {
    const { graphiql, page, management, observability, complaints } = await open('plain');
    const explained = await graphiql.textOf('request-headers.json');
    // What another GraphiQL of this origin may have been told.
    await page.evaluate("localStorage['graphiql:shouldPersistHeaders'] = 'true'");
    await page.reload();
    await useGraphiql(page);
    expect(await graphiql.tabNames()).toEqual(jobs);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    const refused = JSON.parse(await graphiql.run());
    const names = Object.keys(await (await sent).allHeaders());
    expect(names.filter((name) => name.includes('authorization'))).toEqual([]);
    expect(refused.errors[0].extensions.code).toBe('UNAUTHENTICATED');

    const filled = {
      'Management-Authorization': management,
      'Observability-Authorization': observability,
    };
    await graphiql.write('request-headers.json', JSON.stringify(filled));
    expect(await graphiql.run()).toContain('Northwind Analytics');
    await graphiql.openTab('PipeNow');
    await graphiql.write('variables.json', JSON.stringify(ids));
    expect(await graphiql.run('PipeNow')).toContain('"name":"clickstream"');

    await page.getByRole('button', { name: 'New tab' }).click();
    await graphiql.write('operation.graphql', 'query Mine { alerts { name } }');
    expect(await graphiql.run()).toContain('API error rate');
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.getByRole('button', { name: 'Add favorite' }).first().click();
    await page.getByRole('button', { name: 'Remove favorite' }).waitFor();
    for (const key of ['tabState', 'query', 'favorites']) {
      await expect.poll(() => graphiql.stored(key)).toContain('query Mine');
    }
    await page.reload();
    await useGraphiql(page);
    expect(await graphiql.tabNames()).toEqual([...jobs, 'Mine']);
    expect(await graphiql.textOf('operation.graphql')).toBe('query Mine { alerts { name } }');
    expect(await graphiql.textOf('request-headers.json')).toBe(explained);
    const stored = await storedBy(page);
    for (const credential of [management, observability]) {
      expect(stored).not.toContain(credential.split(' ')[1]);
    }
    expect(stored).not.toMatch(/Basic|Bearer|authorization/i);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByText('Clear storage').waitFor();
    const offers = page.getByRole('dialog').getByText(/persist headers/i);
    expect(await offers.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('takes a query from a link without running it, and writes none into the address', async () => {
    const { url } = await start('plain');
    const query = encodeURIComponent('{ alerts { name } }');
    const { page } = await openPage(`${url}?query=${query}`);
    const graphiql = await useGraphiql(page);
    expect(await graphiql.textOf('operation.graphql')).toBe('{ alerts { name } }');
    expect(await graphiql.textOf('response.json')).toBe('');
    // Longer than the head of a request may be.
    const long = `# ${'long '.repeat(3500)}\n{ __typename }`;
    await graphiql.write('operation.graphql', long);
    await expect.poll(() => page.url()).toBe(url);
    await expect.poll(() => storedBy(page)).toContain('long long');
    await page.reload();
    await useGraphiql(page);
    expect(await graphiql.textOf('operation.graphql')).toBe(long);
  });
});
