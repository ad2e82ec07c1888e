/**
 * Takes the pictures of the README from the demo and the console, and writes them to docs/images/:
 *
 *     node test/support/docs/pictures.ts
 *
 * It needs Chromium (CHROMIUM: its path) and the packages of the console, which `npm run console` installs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserPath } from '../browser/path.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = `${root}docs/images/`;
/** As wide as what is shown needs it. */
const sizes = {
  console: { width: 1280, height: 720 },
  graphiql: { width: 1400, height: 800 },
} as const;

/** Starts a program of this repository on a free port; resolves with the address that it prints. */
const start = async (script: string): Promise<{ child: ChildProcess; address: string }> => {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(printed) ?? [];
    if (address !== undefined && printed.includes('Ctrl-C')) return { child, address };
  }
  throw new Error(`${script} ended before it had printed its address`);
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
};

/** Writes what the page shows. WebP, which takes a third of a PNG. */
const take = async (page: Page, name: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.webp`, Buffer.from(data, 'base64'));
  process.stdout.write(`docs/images/${name}.webp\n`);
};

const show = async (
  browser: Browser,
  script: string,
  name: keyof typeof sizes,
  act: (page: Page) => Promise<void>,
): Promise<void> => {
  const { child, address } = await start(script);
  try {
    const page = await browser.newPage({
      viewport: sizes[name],
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(address);
    await act(page);
    await take(page, name);
    await page.close();
  } finally {
    await stop(child);
  }
};

if (browserPath === undefined) throw new Error('no Chromium here: set CHROMIUM to its path');
const npm = (cwd: string, script: string): void => {
  execFileSync('npm', ['run', '--silent', script], { cwd, stdio: 'inherit' });
};
npm(`${root}client`, 'build');
npm(`${root}examples/console`, 'generate');
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  await show(browser, 'examples/console/start.ts', 'console', async (page) => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('article', { name: 'API latency' }).waitFor();
    await page.getByRole('article', { name: 'clickstream', exact: true }).waitFor();
  });
  await show(browser, 'sandbox/demo.ts', 'graphiql', async (page) => {
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await page.getByRole('button', { name: 'Execute query' }).click();
    await page.locator('.result-window').getByText('Northwind Analytics').waitFor();
    await page.mouse.move(0, 0);
  });
} finally {
  await browser.close();
}
