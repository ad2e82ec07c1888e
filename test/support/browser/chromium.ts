import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describe, onTestFinished } from 'vitest';
import { browserPath } from './path.ts';

/** Tests in a browser, skipped where there is none. */
export const describeInBrowser = describe.skipIf(browserPath === undefined);

/** What a page did besides showing itself. */
export interface Opened {
  readonly page: Page;
  /** URLs beyond the origin that the page asked for; each was refused. */
  readonly elsewhere: readonly string[];
  /** Errors of scripts and what the console said of errors, refusals of the security policy among them. */
  readonly complaints: readonly string[];
}

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    args: [
      // Everything but loopback is out of reach, of the browser's own calls home too.
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

/** Opens `url` in a fresh profile that ends with the test; every request to another origin is refused. */
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

/** Keeps what a page shows in test/screenshots/, which git ignores: to be looked at. */
export const photograph = async (page: Page, name: string): Promise<void> => {
  const path = fileURLToPath(new URL(`../../screenshots/${name}.png`, import.meta.url));
  await page.screenshot({ path, fullPage: true });
};
