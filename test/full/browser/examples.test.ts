import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Plugin } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answering, json, stackInTest, startSandboxStack } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';
import { buildPage, describeInBrowser, openBuilt, root } from './chromium.ts';
import { pipesOf, smallWorld } from './console.ts';

const html = `<!doctype html><title>Example</title><link rel="icon" href="data:,"><div id="root"></div>
<script>
  sessionStorage['Management-Authorization'] = 'Basic ' + btoa('demo-admin-key:demo-admin-secret');
  sessionStorage['Observability-Authorization'] = 'Bearer demo-main-token';
</script>
<script type="module" src="/main.js"></script>`;

// What babel-plugin-relay does: a tag becomes the artifact that relay-compiler made of it.
const relayTags: Plugin = {
  name: 'relay-tags',
  enforce: 'pre',
  transform: (code) => {
    const imports: string[] = [];
    const body = code.replace(/graphql`\s*\w+ (\w+)[^`]*`/g, (_, name: string) => {
      imports.push(`import artifact_${name} from './__generated__/${name}.graphql.ts';`);
      return `artifact_${name}`;
    });
    return { code: [...imports, body].join('\n'), map: null };
  },
};

/** Builds an example for production into a folder of its own, with a page that mounts it. */
const buildExample = async (example: 'relay' | 'urql'): Promise<string> => {
  const generated = { relay: 'src/__generated__', urql: 'src/generated' }[example];
  const folder = join(root, 'examples', example);
  const input = join(folder, 'src/main.tsx');
  const output = { entryFileNames: 'main.js', codeSplitting: false };
  const built = await buildPage(`examples/${example}/${generated}`, {
    ...{ root: folder, configFile: false, plugins: example === 'relay' ? [relayTags] : [] },
    build: { rolldownOptions: { input, output } },
  });
  await writeFile(join(built, 'index.html'), html);
  return built;
};

const { management, observability } = createBackend(smallWorld);
const failing = (status: number) =>
  json({ status, error: 'something broke', requestId: 'r-1' }, status);
/** The service with the pipe `views` fails to answer with its pipes. */
const withoutViews =
  (of: Answering): Answering =>
  (call) =>
    call.path === pipesOf('service-2') ? failing(500) : of(call);

const item = (on: Page, text: string) => on.getByRole('listitem').filter({ hasText: text });
const alert = (on: Page, text: string) => on.getByRole('alert').filter({ hasText: text });
const heading = (on: Page, name: string) => on.getByRole('heading', { name, exact: true });

/** Waits until everything of the small world is there, except for what is told. */
const showsAllBut = async (on: Page, ...missing: readonly string[]): Promise<void> => {
  const headings = ['Acme', 'main', 'spare', 'new', 'Health', 'Errors', 'Notes'];
  for (const name of headings) if (!missing.includes(name)) await heading(on, name).waitFor();
  const items = ['clicks Running Kafka, clicks', 'views Stopped', 'Too many errors OK fires above'];
  for (const text of items) {
    if (!missing.some((name) => text.startsWith(name))) await item(on, text).waitFor();
  }
};

describeInBrowser.each(['relay', 'urql'] as const)('the example %s', (example) => {
  let folder: string;
  beforeAll(async () => {
    folder = await buildExample(example);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const openWorld = async (answering: Partial<ReturnType<typeof createBackend>> = {}) => {
    const stack = await stackInTest({ management, observability, ...answering });
    return { ...(await openBuilt(folder, stack.url)), stack };
  };

  it('shows both trees of the sandbox, changes a pipe and an alert, and says when the gateway is gone', async () => {
    const stack = await startSandboxStack();
    const { page, complaints, elsewhere } = await openBuilt(folder, stack.url);
    await heading(page, 'Northwind Analytics').waitFor();
    const pipe = item(page, 'clickstream').first();
    await pipe.getByText('Running', { exact: true }).waitFor();
    const latency = item(page, 'API latency');
    await latency.filter({ hasText: 'fires above 800' }).waitFor();
    await pipe.getByRole('button', { name: 'Stop' }).click();
    await pipe.getByText(/^Stopp(ing|ed)$/).waitFor();
    await latency.getByRole('button', { name: 'Fire below it' }).click();
    await latency.filter({ hasText: 'fires below 800' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    await stack.close();
    await page.reload();
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').allInnerTexts()).not.toContain('');
    expect(await page.getByText('Loading …').count()).toBe(0);
  });

  it('shows the rest when the pipes of a service and two values cannot be read', async () => {
    const [first, ...others] = smallWorld.organizations;
    const odd = createBackend({
      ...smallWorld,
      organizations: first ? [{ ...first, name: { not: 'text' } as never }, ...others] : [],
      alerts: smallWorld.alerts.map((each) => ({ ...each, threshold: 'a lot' })),
    });
    const { page } = await openWorld({ ...odd, management: withoutViews(odd.management) });
    await showsAllBut(page, 'Acme', 'views');
    for (const name of ['Acme', 'views']) {
      expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    }
    const paths = [
      'organization.name UPSTREAM_BAD_RESPONSE',
      'organization.services.1.pipes UPSTREAM_ERROR',
      'dashboards.0.tiles.0.alerts.0.threshold UPSTREAM_BAD_RESPONSE',
    ];
    for (const path of paths) await alert(page, `${path}: `).waitFor();
    expect(await page.getByRole('alert').count()).toBe(paths.length);
  });
});
