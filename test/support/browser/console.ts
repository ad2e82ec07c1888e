import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { build, type ProxyOptions, preview } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type Answering, startSandboxStack, startStack } from '../harness.ts';
import { createBackend, type World } from '../world/backend.ts';
import { withIds } from '../world/ids.ts';
import { openPage, photograph } from './chromium.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const consoleFolder = join(root, 'examples/console');

/** Correct credentials for the sandbox. */
export const right = {
  keyId: 'demo-admin-key',
  keySecret: 'demo-admin-secret',
  token: 'demo-main-token',
} as const;

export type Given = { readonly [field in keyof typeof right]?: string };

export const pipe = (id: string, name: string, state: string) => ({
  ...{ id: `pipe-${id}`, name, state, source: { kafka: { topics: 'clicks' } } },
});

export const service = (number: number, name: string, pipes: readonly object[]) => ({
  ...{ id: `service-${number}`, name, backup: null, pipes },
});

export const organization = (number: number, name: string, services: readonly object[]) => ({
  ...{ id: `organization-${number}`, name, invitations: [], services },
});

const tile = (number: number, name: string) => ({
  ...{ id: `tile-${number}`, name, x: 0, y: 0, w: 4, h: 2, series: [] },
});

/** A world of these organizations and of two tiles, one of which has an alert. */
export const worldOf = (...organizations: readonly object[]): World => {
  const tiles = [tile(1, 'Errors'), tile(2, 'Notes')];
  const alert = {
    ...{ id: 'alert-1', name: 'Too many errors', state: 'OK', source: 'tile', interval: '5m' },
    ...{ threshold: 5, thresholdType: 'above', dashboard: 'dashboard-1', tileId: 'tile-1' },
    channel: { type: 'webhook', webhookId: 'webhook-1' },
  };
  const dashboards = [{ id: 'dashboard-1', name: 'Health', tags: [], tiles }];
  return JSON.parse(withIds(JSON.stringify({ organizations, dashboards, alerts: [alert] })));
};

/** Two services with a pipe each and one with none. */
export const smallWorld: World = worldOf(
  organization(1, 'Acme', [
    service(1, 'main', [pipe('1', 'clicks', 'Running')]),
    service(2, 'spare', [pipe('2', 'views', 'Stopped')]),
    service(3, 'new', []),
  ]),
);

/** The path of the list of a service's pipes. */
export const pipesOf = (of: string): string =>
  withIds(`/v1/organizations/organization-1/services/${of}/pipes`);

/** The path of the first pipe of the first service. */
export const firstPipe: string = `${pipesOf('service-1')}/${withIds('pipe-1')}`;

/** Builds the console for production into a temporary folder. */
const buildConsole = async (): Promise<string> => {
  for (const [file, script] of [
    ['client/dist/index.js', 'npm run build -w client'],
    ['examples/console/src/generated/operations.ts', 'npm run check:examples'],
  ] as const) {
    if (!existsSync(join(root, file))) throw new Error(`${file} is missing: run "${script}" first`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  // Vitest sets "test", with which React would be built for development.
  vi.stubEnv('NODE_ENV', 'production');
  await build({ root: consoleFolder, build: { outDir: folder }, logLevel: 'error' });
  vi.unstubAllEnvs();
  return folder;
};

/** Removes the header that a browser adds to intercepted requests. */
const proxyTo = (url: string): ProxyOptions => ({
  target: new URL(url).origin,
  configure: (proxy) => {
    proxy.on('proxyReq', (request) => request.removeHeader('cache-control'));
  },
});

/** Waits until the text is visible in this place. */
export const shows = (place: Locator, text: string | RegExp): Promise<void> =>
  place.getByText(text, { exact: true }).first().waitFor();

export const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);

/** User actions on the console. */
const handlesOf = (page: Page) => {
  const row = (name: string) => page.getByRole('article', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string, place: Page | Locator = page) =>
    place.getByRole('button', { name });
  return {
    row,
    field,
    button,
    half: (name: 'Pipes' | 'Alerts') => page.getByRole('region', { name }),
    /** Fills in the form and sends it; omitted members stay empty. */
    signIn: async (given: Given): Promise<void> => {
      await field('Key id').fill(given.keyId ?? '');
      await field('Key secret').fill(given.keySecret ?? '');
      await field('Token').fill(given.token ?? '');
      await button('Sign in').click();
    },
    /** Waits for an alert with this text, and returns it. */
    says: async (text: string, place: Page | Locator = page): Promise<Locator> => {
      const alert = place.getByRole('alert').filter({ hasText: text });
      await alert.waitFor();
      return alert;
    },
    /** Presses a pipe's Stop button, and confirms. */
    stop: async (name: string): Promise<void> => {
      await button('Stop', row(name)).click();
      await button('Stop pipe', page.getByRole('dialog')).click();
    },
    /** The accessible names of a row's buttons. */
    offered: async (name: string): Promise<readonly string[]> => {
      const texts = await row(name).getByRole('button').allInnerTexts();
      return texts.map((text) => text.replaceAll(/\s+/g, ' '));
    },
    /** Presses Tab until this element has the focus. */
    tabTo: async (target: Locator): Promise<void> => {
      for (let presses = 0; presses < 100; presses += 1) {
        if (await hasFocus(target)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${target}`);
    },
    /** Sets the page's visibility state. */
    setVisible: (visible: boolean): Promise<void> =>
      page.evaluate(
        (value) => {
          Object.defineProperty(document, 'visibilityState', { value, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        },
        visible ? 'visible' : 'hidden',
      ),
  };
};

/** Opens a built console with the gateway at `url`. The page's clock moves only with `pass`, in seconds. */
const openConsole = async (folder: string, url: string) => {
  const server = await preview({
    root: consoleFolder,
    build: { outDir: folder },
    preview: { host: '127.0.0.1', port: 0, proxy: { '/graphql': proxyTo(url) } },
    logLevel: 'error',
  });
  onTestFinished(() => server.close());
  const [address] = server.resolvedUrls?.local ?? [];
  if (address === undefined) throw new Error('the page has no address');
  const opened = await openPage(address);
  const { page } = opened;
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const pass = async (seconds: number): Promise<void> => {
    await page.clock.runFor(seconds * 1000);
    // Requests are reported in order: this one comes after all requests that the page sent in that time.
    await page.evaluate(async () => (await fetch(location.href)).text());
  };
  return { ...opened, ...handlesOf(page), pass };
};

/** Poll intervals: at once, or never during a test. */
const polls = {
  soon: { management: 50, observability: 50 },
  never: { management: 600_000, observability: 600_000 },
} as const;

interface Options {
  readonly reads?: keyof typeof polls;
  readonly config?: Partial<Config>;
  readonly world?: World;
  readonly management?: Answering;
  readonly observability?: Answering;
}

/** Builds the console for the tests of a file; returns functions that open it with backends or with a sandbox. */
export const useConsole = () => {
  let folder = '';
  beforeAll(async () => {
    folder = await buildConsole();
  });
  afterAll(() => rm(folder, { recursive: true }));
  return {
    folder: () => folder,
    open: async ({
      world = smallWorld,
      reads = 'soon',
      config = {},
      ...answering
    }: Options = {}) => {
      const gateway = { pollMs: polls[reads] };
      const stack = await startStack({ ...createBackend(world), ...answering, gateway, config });
      onTestFinished(() => stack.close());
      return { ...(await openConsole(folder, stack.url)), stack };
    },
    /** The sandbox's clock stands still like the page's; `settle` moves it past a pipe's transition. */
    openSandbox: async ({ reads = 'soon' }: Pick<Options, 'reads'> = {}) => {
      let now = Date.parse('2026-11-21T10:00:00Z');
      const transitionMs = 2000;
      const stack = await startSandboxStack({
        sandbox: { limits: false, transitionMs, clock: () => new Date(now) },
        gateway: { pollMs: polls[reads] },
      });
      onTestFinished(() => stack.close());
      const settle = (): void => {
        now += transitionMs;
      };
      return { ...(await openConsole(folder, stack.url)), stack, settle };
    },
  };
};

/** The findings of axe, whose timers need the page's clock to advance a little. */
const analyze = async (page: Page) => {
  let ended = false;
  // In this mode axe opens no second page, which would share the clock.
  const analysis = new AxeBuilder({ page })
    .setLegacyMode()
    .analyze()
    .finally(() => {
      ended = true;
    });
  while (!ended) await page.clock.runFor(1);
  return analysis;
};

/** Expects no findings of axe in light and dark mode, and saves screenshots for desktop and phone. */
export const expectAccessible = async (page: Page, name: string): Promise<void> => {
  const wide = page.viewportSize();
  if (!wide) throw new Error('the page has no size');
  for (const colorScheme of ['dark', 'light'] as const) {
    // Without animations, during which colours would be wrong.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await analyze(page);
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
    await photograph(page, `console-${name}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  await photograph(page, `console-${name}-400px`);
  await page.setViewportSize(wide);
};
