import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { build, type ProxyOptions, preview } from 'vite';
import { expect, onTestFinished, vi } from 'vitest';
import { openPage, photograph } from './chromium.ts';

const consoleFolder = fileURLToPath(new URL('../../../examples/console', import.meta.url));
const clientEntry = fileURLToPath(new URL('../../../client/dist/index.js', import.meta.url));
const documents = join(consoleFolder, 'src/generated/operations.ts');

/** What the form takes. */
export interface Given {
  readonly keyId?: string;
  readonly keySecret?: string;
  readonly token?: string;
}

/** Everything right on the sandbox. */
export const right = {
  keyId: 'demo-admin-key',
  keySecret: 'demo-admin-secret',
  token: 'demo-main-token',
} as const satisfies Given;

/** Builds the console for production into a folder of its own; `remove` takes the folder away. */
export const buildConsole = async (): Promise<{ folder: string; remove(): Promise<void> }> => {
  for (const [file, script] of [
    [clientEntry, 'npm run build -w client'],
    [documents, 'npm run check:examples'],
  ] as const) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run "${script}" first`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  // Vitest says "test", and React would be built for development.
  vi.stubEnv('NODE_ENV', 'production');
  await build({ root: consoleFolder, build: { outDir: folder }, logLevel: 'error' });
  vi.unstubAllEnvs();
  return { folder, remove: () => rm(folder, { recursive: true }) };
};

/** Takes away what a browser adds whose requests are intercepted: it asks for nothing from a memory. */
const proxyTo = (url: string): ProxyOptions => ({
  target: new URL(url).origin,
  configure: (proxy) => {
    proxy.on('proxyReq', (request) => request.removeHeader('cache-control'));
  },
});

/**
 * Opens a built console that stands before the gateway of `url`; both the page and its server end with the test.
 * The page's clock stands still until `pass` moves it on by so many seconds.
 */
export const openConsole = async (folder: string, url: string) => {
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
    // Requests are reported in their order: this one after all that the page has sent in that time.
    await page.evaluate(async () => (await fetch(location.href)).text());
  };
  return { ...opened, server, pass };
};

/** The operations that a page has sent so far, by their names. */
export const operationsOf = (page: Page): readonly string[] => {
  const names: string[] = [];
  page.on('request', (request) => {
    const [, name] = /(?:query|mutation|subscription) (\w+)/.exec(request.postData() ?? '') ?? [];
    if (name !== undefined) names.push(name);
  });
  return names;
};

/** Fills the form in and sends it; a member that is not given is left empty. */
export const signIn = async (page: Page, given: Given): Promise<void> => {
  await page.getByLabel('Key id').fill(given.keyId ?? '');
  await page.getByLabel('Key secret').fill(given.keySecret ?? '');
  await page.getByLabel('Token').fill(given.token ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** One half of the page. */
export const half = (page: Page, name: 'Pipes' | 'Alerts'): Locator =>
  page.getByRole('region', { name });

/** The row of a pipe or an alert. */
export const row = (page: Page, name: string): Locator =>
  page.getByRole('article', { name, exact: true });

/** Waits until the text is to be seen there. */
export const shows = (place: Locator, text: string | RegExp): Promise<void> =>
  place.getByText(text, { exact: true }).first().waitFor();

/** What `document` says to the page of whether it can be seen. */
export const setVisible = (page: Page, visible: boolean): Promise<void> =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    visible ? 'visible' : 'hidden',
  );

/** Presses a pipe's Stop, and says yes to the question. */
export const stopPipe = async (page: Page, name: string): Promise<void> => {
  await row(page, name).getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop pipe' }).click();
};

/** The buttons of a row, as they are read out. */
export const offered = async (page: Page, name: string): Promise<readonly string[]> => {
  const buttons = await row(page, name).getByRole('button').all();
  const texts = await Promise.all(buttons.map((button) => button.innerText()));
  return texts.map((text) => text.replaceAll(/\s+/g, ' '));
};

/** Waits for an alert that says so, and returns it. */
export const says = async (place: Page | Locator, text: string): Promise<Locator> => {
  const alert = place.getByRole('alert').filter({ hasText: text });
  await alert.waitFor();
  return alert;
};

export const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);

/** Presses Tab until the focus is there. */
export const tabTo = async (page: Page, target: Locator): Promise<void> => {
  for (let presses = 0; presses < 100; presses += 1) {
    if (await hasFocus(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
};

/** What axe finds. It has timers of its own, for which the page's clock has to move on a little. */
const analyze = async (page: Page) => {
  let ended = false;
  // In this mode it opens no page beside this one, which would have the same clock.
  const analysis = new AxeBuilder({ page })
    .setLegacyMode()
    .analyze()
    .finally(() => {
      ended = true;
    });
  while (!ended) await page.clock.runFor(1);
  return analysis;
};

/** Expects axe to find nothing, in light and in dark. Without motion, or it would meet colours on their way. */
export const expectAccessible = async (page: Page): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await analyze(page);
    const found = violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.map(({ html }) => html),
    }));
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
  }
};

/** Keeps what the page shows: light and dark, and on a telephone. Leaves the page as wide as it was. */
export const photographConsole = async (page: Page, name: string): Promise<void> => {
  const wide = page.viewportSize();
  if (!wide) throw new Error('the page has no size');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await photograph(page, `console-${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 400, height: 800 });
  await photograph(page, `console-${name}-400px`);
  await page.setViewportSize(wide);
};

/** Live regions whose news assistive technology may hold back, since what they stand in is busy. */
export const heldBack = (page: Page): Promise<number> =>
  page.locator('[aria-busy="true"] :is([role="status"], [role="alert"])').count();

/** What the page keeps in the browser beyond itself. */
export const keptByBrowser = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(document.cookie ? [document.cookie] : []),
  ]);
