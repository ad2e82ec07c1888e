import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { build, type InlineConfig, preview } from 'vite';
import { describe, onTestFinished, vi } from 'vitest';
import { browserPath } from '../../support/programs.ts';

export const root: string = fileURLToPath(new URL('../../../', import.meta.url));

/** Tests in a browser, skipped if this machine has none. */
export const describeInBrowser = describe.skipIf(browserPath === undefined);

/** A browser that reaches only loopback, also for its own requests. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  });

/**
 * Opens `url` in a new profile that ends with the test. `elsewhere` are the requests to other origins, which are refused;
 * `complaints` are script errors and error messages of the console, including violations of the security policy.
 */
export const openPage = async (url: string) => {
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

/** Builds a page for production into a temporary folder; it needs what `generated` names. */
export const buildPage = async (generated: string, config: InlineConfig): Promise<string> => {
  if (![generated, 'client/dist'].every((path) => existsSync(join(root, path)))) {
    throw new Error('run "npm run build -w client" and "npm run check:examples" first');
  }
  const outDir = await mkdtemp(join(tmpdir(), 'page-'));
  // Vitest sets "test", with which React would be built for development.
  vi.stubEnv('NODE_ENV', 'production');
  await build({ ...config, build: { ...config.build, outDir }, logLevel: 'error' });
  vi.unstubAllEnvs();
  return outDir;
};

/** Opens a built page with the gateway at `url`. */
export const openBuilt = async (outDir: string, url: string) => {
  const server = await preview({
    ...{ configFile: false, build: { outDir }, logLevel: 'error' },
    preview: {
      ...{ host: '127.0.0.1', port: 0 },
      // Without the header that a browser adds to intercepted requests.
      proxy: { '/graphql': { target: new URL(url).origin, headers: { 'cache-control': '' } } },
    },
  });
  onTestFinished(() => server.close());
  return openPage(server.resolvedUrls?.local[0] ?? '');
};
