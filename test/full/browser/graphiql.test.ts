import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser, photograph } from '../../support/browser/chromium.ts';
import { openGraphiql, storedBy, useGraphiql } from '../../support/browser/graphiql.ts';
import { browserPath } from '../../support/browser/path.ts';
import { startGraphiql } from '../../support/graphiql-gateway.ts';

const start = async (kind: 'demo' | 'plain') => {
  const gateway = await startGraphiql(kind);
  onTestFinished(gateway.close);
  return gateway;
};

const open = async (kind: 'demo' | 'plain') => {
  const gateway = await start(kind);
  return { ...gateway, ...(await openGraphiql(gateway.url)) };
};

/** As much as is needed here of the editor that GraphiQL brings. */
interface Monaco {
  readonly editor: {
    readonly EditorOption: { readonly wordWrap: number };
    getEditors(): readonly { getOption(option: number): unknown }[];
  };
}

const jobs = ['LookAround', 'ServicesWithPipes', 'PipeNow', 'BoardWithAlerts'];
/** Those whose tabs have other operations too: the button asks which to run. */
const ofSeveral = ['ServicesWithPipes', 'PipeNow'];

describeInBrowser('GraphiQL in the demo', () => {
  it('runs queries and mutations with the credentials of its pane, and asks nobody else', async () => {
    const { graphiql, page, elsewhere, complaints } = await open('demo');
    expect(await graphiql.tabNames()).toEqual(jobs);
    expect(await graphiql.textOf('response.json')).toBe('');

    expect(await graphiql.run()).toContain('Northwind Analytics');
    await photograph(page, 'graphiql-answer');
    await graphiql.openTab('BoardWithAlerts');
    expect(JSON.parse(await graphiql.run()).data.dashboard.tiles).not.toEqual([]);
    await graphiql.openTab('PipeNow');
    const stopped = JSON.parse(await graphiql.run('StopPipeNow'));
    expect(stopped.data.stopPipe.userErrors).toEqual([]);

    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('runs every tab as it is, with values in its variables pane', async () => {
    const { graphiql, page, complaints } = await open('demo');
    for (const job of jobs) {
      await graphiql.openTab(job);
      const answer = JSON.parse(await graphiql.run(ofSeveral.includes(job) ? job : undefined));
      expect([job, answer.errors]).toEqual([job, undefined]);
      expect(JSON.stringify(answer.data), job).not.toMatch(/"userErrors":\[\{/);
    }
    expect(JSON.parse(await graphiql.textOf('variables.json'))).toEqual({
      dashboardId: world.observability.main.dashboards.api,
    });
    await graphiql.openTab('PipeNow');
    expect(await graphiql.textOf('variables.json')).toContain(world.management.main.pipes.orders);
    await photograph(page, 'graphiql-variables');
    // Kept some time after the query; a reload looks for the tab that has both.
    const kept = () => page.evaluate<string>("localStorage['graphiql:variables'] ?? ''");
    await expect.poll(kept).toBe(await graphiql.textOf('variables.json'));
    await page.reload();
    await useGraphiql(page);
    expect(await graphiql.tabNames()).toEqual(jobs);
    expect(await graphiql.textOf('variables.json')).toContain(world.management.main.pipes.orders);
    expect(complaints).toEqual([]);
  });

  it('shows the variables of a tab that has some, and the headers on a first visit', async () => {
    const { graphiql, page } = await open('demo');
    const shown = () => page.locator('.graphiql-editor-tools .active').textContent();
    expect(await shown()).toBe('Headers');
    await graphiql.openTab('ServicesWithPipes');
    await expect.poll(shown).toBe('Variables');
    // Who looks at the headers goes on doing so, whatever is typed.
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await graphiql.write('operation.graphql', '{ dashboards { name } }');
    expect(await shown()).toBe('Headers');
    await graphiql.openTab('PipeNow');
    await expect.poll(shown).toBe('Variables');
    const kept = () => page.evaluate<string>("localStorage['graphiql:variables'] ?? ''");
    await expect.poll(kept).toBe(await graphiql.textOf('variables.json'));
    await page.reload();
    await useGraphiql(page);
    await expect.poll(shown).toBe('Variables');
  });

  it('has room for all tabs in a window of 1000 pixels', async () => {
    const { graphiql, page } = await open('demo');
    await page.setViewportSize({ width: 1000, height: 800 });
    await graphiql.openTab('BoardWithAlerts');
    await photograph(page, 'graphiql-narrow');
    const button = await page.getByRole('button', { name: 'New tab' }).boundingBox();
    const logo = await page.locator('.graphiql-logo').boundingBox();
    const tabs = await page.locator('.graphiql-tab').all();
    const ends = await Promise.all(
      tabs.map(async (tab) => {
        const { x = Number.NaN, width = Number.NaN } = (await tab.boundingBox()) ?? {};
        return x + width;
      }),
    );
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    expect(ends).toHaveLength(jobs.length);
    expect(ends.at(-1)).toBeLessThan(button?.x ?? Number.NaN);
    expect(button?.x).toBeLessThan(logo?.x ?? Number.NaN);
  });

  it('names the one of several operations in a tab that ran last', async () => {
    const { graphiql } = await open('demo');
    await graphiql.openTab('PipeNow');
    // Refused, as nothing has stopped yet.
    expect(await graphiql.run('StartPipeNow')).toContain('"userErrors":[{');
    const renamed = jobs.map((job) => (job === 'PipeNow' ? 'StartPipeNow' : job));
    await expect.poll(() => graphiql.tabNames()).toEqual(renamed);
  });

  it('shows where in the text of its editor an error is, of those refused and those executed', async () => {
    const { graphiql, page, complaints } = await open('demo');
    const text = '# One.\n\nquery Two   { dashboards { name }, organization(id: "é") { name } }';
    await graphiql.write('operation.graphql', text);
    await graphiql.run();
    const shown = async () => JSON.parse(await graphiql.textOf('response.json')).errors;
    expect(await shown()).toMatchObject([
      { path: ['organization'], locations: [{ line: 3, column: 36 }] },
    ]);
    await graphiql.write('operation.graphql', '# Two.\n{ dashboards { nam } }');
    await graphiql.run();
    await expect.poll(shown).toMatchObject([{ locations: [{ line: 2, column: 16 }] }]);
    await photograph(page, 'graphiql-locations');
    // The browser itself tells of the status 400.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('names no icon, in its dialogs and panes neither, and every button', async () => {
    const { page } = await open('demo');
    const titles = () => page.locator('svg title').allTextContents();
    const unnamed = () =>
      page
        .locator('button:visible')
        .evaluateAll((buttons) =>
          buttons
            .filter(
              (button) =>
                !button.ariaLabel && !button.textContent?.trim() && !button.hasAttribute('title'),
            )
            .map((button) => button.outerHTML.slice(0, 120)),
        );
    for (const name of [
      'Show Documentation Explorer',
      'Show History',
      'Open settings dialog',
      'Open short keys dialog',
    ]) {
      await page.getByRole('button', { name }).click();
      await expect.poll(titles).toEqual([]);
      expect(await unnamed()).toEqual([]);
      if (name.includes('dialog')) await page.keyboard.press('Escape');
    }
  });

  it('breaks lines that are longer than their pane', async () => {
    const { graphiql, page } = await open('demo');
    await page.setViewportSize({ width: 900, height: 900 });
    await graphiql.tabNames();
    const wrapping = () =>
      page.evaluate(() => {
        const { editor } = (globalThis as unknown as { monaco: Monaco }).monaco;
        const option = editor.EditorOption.wordWrap;
        return editor.getEditors().map((each) => each.getOption(option));
      });
    await expect.poll(wrapping).toEqual(['on', 'on', 'on', 'on']);
  });

  it('completes the name of a field, and says what is wrong with one', async () => {
    const { graphiql, page, complaints } = await open('demo');
    await page.getByRole('button', { name: 'New tab' }).click();
    await graphiql.write('operation.graphql', '{ ');
    await page.keyboard.type('organiz');
    const offered = page.locator('.suggest-widget.visible .monaco-list-row');
    await offered.filter({ hasText: 'organizations' }).click();
    await expect.poll(() => graphiql.textOf('operation.graphql')).toContain('{ organizations');

    await graphiql.write('operation.graphql', '{ organisations { name } }');
    await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the documentation of a type and of its fields', async () => {
    const { page, complaints } = await open('demo');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByText('Sluice offers two REST interfaces as one GraphQL schema.').waitFor();
    await docs.getByRole('link', { name: 'Pipe', exact: true }).first().click();
    await docs.getByText('New states may come at any time.').waitFor();
    await photograph(page, 'graphiql-documentation');
    expect(complaints).toEqual([]);
  });

  it('keeps a history, from which an operation can be taken again', async () => {
    const { graphiql, page, management } = await open('demo');
    await graphiql.run();
    await graphiql.write('operation.graphql', 'query Mine { dashboards { name } }');
    expect(await graphiql.run()).toContain('API health');
    await page.reload();
    await useGraphiql(page);
    await page.getByRole('button', { name: 'Show History' }).click();
    const entries = page.locator('.graphiql-history-item-label');
    expect(await entries.allTextContents()).toEqual(['Mine', 'LookAround']);
    await entries.nth(1).click();
    await expect.poll(() => graphiql.textOf('operation.graphql')).toContain('query LookAround');
    await graphiql.noted();
    // It was kept without its headers, and does not take those away that are there.
    expect(await graphiql.textOf('request-headers.json')).toContain(management);
    expect(await graphiql.run()).toContain('Northwind Analytics');
  });
});

describeInBrowser('GraphiQL of a deployment', () => {
  const both = (management: string, observability: string): string =>
    JSON.stringify({
      'Management-Authorization': management,
      'Observability-Authorization': observability,
    });

  it('sends no credential until one is filled in, and then from every tab', async () => {
    const { graphiql, page, management, observability, complaints } = await open('plain');
    expect(await graphiql.tabNames()).toEqual(jobs);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    const refused = JSON.parse(await graphiql.run());
    const names = Object.keys(await (await sent).allHeaders());
    expect(names.filter((name) => name.includes('authorization'))).toEqual([]);
    expect(refused.errors[0].extensions.code).toBe('UNAUTHENTICATED');

    await graphiql.write('request-headers.json', both(management, observability));
    expect(await graphiql.run()).toContain('Northwind Analytics');
    await graphiql.openTab('PipeNow');
    const { organizationId, services, pipes } = world.management.main;
    const ids = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };
    await graphiql.write('variables.json', JSON.stringify(ids));
    expect(await graphiql.run('PipeNow')).toContain('"name":"clickstream"');
    expect(JSON.parse(await graphiql.run('StopPipeNow')).data.stopPipe).toMatchObject({
      pipe: { state: 'Stopping' },
      userErrors: [],
    });
    expect(complaints).toEqual([]);
  });

  it('forgets the credentials with a reload, and keeps the tabs', async () => {
    const { graphiql, page, management, observability } = await open('plain');
    const explained = await graphiql.textOf('request-headers.json');
    // What another GraphiQL of this origin may have been told.
    await page.evaluate("localStorage['graphiql:shouldPersistHeaders'] = 'true'");
    await page.reload();
    await useGraphiql(page);
    await graphiql.write('request-headers.json', both(management, observability));
    await graphiql.run();
    await page.getByRole('button', { name: 'New tab' }).click();
    await graphiql.write('operation.graphql', 'query Mine { alerts { name } }');
    expect(await graphiql.run()).toContain('API error rate');
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.getByRole('button', { name: 'Add favorite' }).first().click();
    await page.getByRole('button', { name: 'Remove favorite' }).waitFor();

    const kept = (key: string): Promise<string> =>
      page.evaluate<string>(`localStorage['graphiql:${key}'] ?? ''`);
    for (const key of ['tabState', 'query', 'favorites']) {
      await expect.poll(() => kept(key)).toContain('query Mine');
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
  });

  it('offers nowhere to keep the credentials', async () => {
    const { page } = await open('plain');
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Clear storage').waitFor();
    expect(await dialog.getByText('Theme', { exact: true }).isVisible()).toBe(true);
    expect(await dialog.getByText(/persist headers/i).count()).toBe(0);
  });

  it('opens no further tab with the first reload', async () => {
    const { graphiql, page } = await open('plain');
    await page.reload();
    await useGraphiql(page);
    expect(await graphiql.tabNames()).toEqual(jobs);
  });

  it('takes a query from a link without running it, and writes none into the address', async () => {
    const { url } = await start('plain');
    const { graphiql, page } = await openGraphiql(
      `${url}?query=${encodeURIComponent('{ alerts { name } }')}`,
    );
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

  it('is loaded once: a second visit takes its files from the cache', async () => {
    const { url, requests } = await start('plain');
    // Not by `openPage`, as a browser that is to refuse requests caches nothing.
    const browser = await chromium.launch({
      ...(browserPath !== undefined && { executablePath: browserPath }),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const files = (): string[] => requests.filter((request) => request.includes('/graphiql/'));
    const visit = async (): Promise<void> => {
      await page.goto(url);
      await useGraphiql(page);
      await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
    };
    // The browser lists a file once it has arrived whole; what has not is in no cache.
    const missing = async (): Promise<readonly string[]> => {
      const arrived = await page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => `GET ${new URL(name).pathname}`),
      );
      return files().filter((file) => !arrived.includes(file));
    };
    await visit();
    // Asked for late, once the schema has come.
    await expect.poll(() => files().join()).toContain('graphql-worker.js');
    await expect.poll(missing).toEqual([]);
    expect(files().map((request) => request.replace(/.*\//, ''))).toEqual(
      expect.arrayContaining(['graphiql.css', 'graphiql.js', 'page.js', 'graphql-worker.js']),
    );
    const pages = (): number => requests.filter((request) => request === 'GET /graphql').length;
    await visit();
    await expect
      .poll(() => requests.filter((request) => request.startsWith('POST')).length)
      .toBe(2);
    expect(pages()).toBe(2);
    // Some worker may start on the second visit alone, as the editor needs it; none is asked for twice.
    expect(files()).toEqual([...new Set(files())]);
  });
});
