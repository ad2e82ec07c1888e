import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describe, onTestFinished } from 'vitest';
import { browserPath } from './path.ts';

/** Tests in a browser, skipped if this machine has none. */
export const describeInBrowser = describe.skipIf(browserPath === undefined);

/** Events of a page while it is open. */
export interface Opened {
  readonly page: Page;
  /** URLs of other origins that the page requested; all were refused. */
  readonly elsewhere: readonly string[];
  /** Script errors and error messages of the console, including violations of the security policy. */
  readonly complaints: readonly string[];
}

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    args: [
      // Only loopback is reachable, also for the browser's own requests.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** Opens `url` in a new profile that ends with the test; requests to other origins are refused. */
export const openPage = async (url: string): Promise<Opened> => {
  const browser = await launch();
  onTestFinished(() => browser.close());
  const { origin } = new URL(url);
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await context.route(
    (asked) => asked.origin !== origin && !['blob:', 'data:'].includes(asked.protocol),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(url);
  return { page, elsewhere, complaints };
};

/** Saves a screenshot in test/screenshots/, which git ignores, for manual inspection. */
export const photograph = async (page: Page, name: string): Promise<void> => {
  const path = fileURLToPath(new URL(`../../screenshots/${name}.png`, import.meta.url));
  await page.screenshot({ path, fullPage: true });
};
