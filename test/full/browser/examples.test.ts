import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeInBrowser, photograph } from '../../support/browser/chromium.ts';
import { pipesOf, smallWorld } from '../../support/browser/console-world.ts';
import { buildExample, openExample } from '../../support/browser/example-pages.ts';
import { json, type Stack, startSandboxStack, startStack } from '../../support/harness.ts';
import { createBackend, type World } from '../../support/world/backend.ts';

const credentials = {
  'Management-Authorization': 'Basic ZGVtby1hZG1pbi1rZXk6ZGVtby1hZG1pbi1zZWNyZXQ=',
  'Observability-Authorization': 'Bearer demo-main-token',
};

const backend = createBackend(smallWorld);
const failure = json({ status: 500, error: 'something broke', requestId: 'r-1' }, 500);

/** The small world with something otherwise in its first organization, and in its alerts. */
const odd = (organization: object, alert: object = {}): World => {
  const [first, ...others] = smallWorld.organizations;
  if (first === undefined) throw new Error('the small world has no organization');
  return {
    ...smallWorld,
    organizations: [{ ...first, ...organization }, ...others],
    alerts: smallWorld.alerts.map((item) => ({ ...item, ...alert })),
  };
};

const item = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });
const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/** Waits until everything of the small world is there, except for what is told. */
const showsAllBut = async (page: Page, missing: readonly string[]): Promise<void> => {
  const headings = ['Acme', 'main', 'spare', 'new', 'Health', 'Errors', 'Notes'];
  for (const name of headings) if (!missing.includes(name)) await heading(page, name).waitFor();
  const items = ['clicks Running Kafka, clicks', 'views Stopped', 'Too many errors OK fires above'];
  for (const text of items) {
    if (!missing.some((name) => text.startsWith(name))) await item(page, text).waitFor();
  }
};

const pathOfPipes = 'organizations.0.services.1.pipes';

describeInBrowser.each(['relay', 'urql'] as const)('the example %s', (example) => {
  let built: Awaited<ReturnType<typeof buildExample>>;
  beforeAll(async () => {
    built = await buildExample(example, credentials);
  });
  afterAll(() => built.remove());

  const open = async (stack: Stack) => {
    onTestFinished(() => stack.close());
    return openExample(built.folder, stack.url);
  };

  const openWorld = async (answering: Partial<typeof backend>) => {
    const stack = await startStack({ ...backend, ...answering });
    return { ...(await open(stack)), stack };
  };

  it('shows both trees of the sandbox, and changes a pipe and an alert', async () => {
    const { page, complaints, elsewhere } = await open(await startSandboxStack());
    await heading(page, 'Northwind Analytics').waitFor();
    const pipe = item(page, 'clickstream').first();
    await pipe.getByText('Running', { exact: true }).waitFor();
    const latency = item(page, 'API latency');
    await latency.filter({ hasText: 'fires above 800' }).waitFor();
    await photograph(page, `example-${example}`);

    await pipe.getByRole('button', { name: 'Stop' }).click();
    await pipe.getByText(/^Stopp(ing|ed)$/).waitFor();
    await latency.getByRole('button', { name: 'Fire below it' }).click();
    await latency.filter({ hasText: 'fires below 800' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it.each([
    {
      what: 'the pipes of a service',
      management: (call: Parameters<typeof backend.management>[0]) =>
        call.path === pipesOf('service-2') ? failure : backend.management(call),
      missing: ['views'],
      paths: [pathOfPipes],
    },
    {
      what: 'the organizations',
      management: () => failure,
      missing: ['Acme', 'main', 'spare', 'new', 'clicks', 'views'],
      paths: ['organizations'],
    },
    {
      what: 'the alerts',
      observability: (call: Parameters<typeof backend.observability>[0]) =>
        call.path.startsWith('/api/v2/alerts') ? failure : backend.observability(call),
      missing: ['Too many errors'],
      paths: ['dashboards.0.tiles.0.alerts', 'dashboards.0.tiles.1.alerts'],
    },
  ])('shows the rest when $what cannot be read', async ({ missing, paths, ...answering }) => {
    const { page } = await openWorld(answering);
    await showsAllBut(page, missing);
    for (const name of missing) expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    for (const path of paths) await alert(page, `${path} UPSTREAM_ERROR: `).waitFor();
    expect(await page.getByRole('alert').allInnerTexts()).toEqual(
      paths.map(() => expect.stringMatching(/answered .* with status 500/)),
    );
    await photograph(page, `example-${example}-failed-${paths[0]}`);
  });

  it('shows the rest of an object of which a value does not fit', async () => {
    const world = odd({ name: { not: 'text' } }, { threshold: 'a lot' });
    const { page } = await openWorld(createBackend(world));
    await showsAllBut(page, ['Acme']);
    await alert(page, 'organizations.0.name UPSTREAM_BAD_RESPONSE: ').waitFor();
    await alert(page, 'dashboards.0.tiles.0.alerts.0.threshold UPSTREAM_BAD_RESPONSE: ').waitFor();
    expect(await page.getByRole('alert').count()).toBe(2);
  });

  it('says so when the gateway is gone', async () => {
    const stack = await startStack(backend);
    await stack.close();
    const { page } = await openExample(built.folder, stack.url);
    await page.getByRole('alert').first().waitFor();
    for (const text of await page.getByRole('alert').allInnerTexts()) expect(text).not.toBe('');
    expect(await page.getByText('Loading …').count()).toBe(0);
  });

  it.each([
    { given: {}, sent: undefined },
    { given: { 'User name': 'reader' }, sent: { username: 'reader' } },
    {
      given: { 'User name': 'reader', Password: 'secret' },
      sent: { username: 'reader', password: 'secret' },
    },
  ])('sends of the credentials of a source what was filled in: $given', async ({ given, sent }) => {
    const { page, stack } = await openWorld({});
    const form = page.getByRole('article').filter({ has: heading(page, 'new') });
    const filled = { Name: 'orders', Brokers: 'b:9092', Topics: 'orders', Table: 'orders' };
    for (const [label, text] of Object.entries({ ...filled, ...given })) {
      await form.getByLabel(label, { exact: true }).fill(text);
    }
    const answered = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('createPipe')),
    );
    await form.getByRole('button', { name: 'Create' }).click();
    await answered;
    const [body] = stack.calls.filter(({ method }) => method === 'POST').map((call) => call.body);
    expect(JSON.parse(body ?? '')).toMatchObject({
      name: 'orders',
      source: { kafka: { topics: 'orders' } },
    });
    expect(JSON.parse(body ?? '').source.kafka.credentials).toEqual(sent);
  });

  // Only Relay's queries throw in place of what they could not read.
  if (example !== 'relay') return;

  describe('with its boundaries', () => {
    it('reads again when asked to, once the gateway is back', async () => {
      const { page } = await openWorld({});
      await page.route('**/graphql', (route) => route.abort());
      await page.reload();
      const retries = page.getByRole('button', { name: 'Try again' });
      await retries.nth(1).waitFor();
      await page.unroute('**/graphql');
      await retries.first().click();
      await heading(page, 'Acme').waitFor();
      await retries.click();
      await showsAllBut(page, []);
    });

    it('keeps the page when a pipe is gone at the next read of it', async () => {
      const state = { gone: false };
      const { page } = await openWorld({
        management: (call) =>
          state.gone
            ? json({ status: 404, error: 'NOT_FOUND: no such thing', requestId: 'r-1' }, 404)
            : backend.management(call),
      });
      await showsAllBut(page, []);
      state.gone = true;
      await item(page, 'clicks Running').getByRole('button', { name: 'Read again' }).click();
      const gone = alert(page, 'The pipe could not be read again.');
      await gone.waitFor();
      await showsAllBut(page, ['clicks']);
      await gone.getByRole('button', { name: 'Try again' }).click();
      await showsAllBut(page, []);
    });
  });
});
