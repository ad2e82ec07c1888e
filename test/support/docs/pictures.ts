/**
 * Takes the screenshots for the README from the demo and the console, and writes them to docs/images/:
 *
 *     node test/support/docs/pictures.ts
 *
 * It needs Chromium (CHROMIUM: its path) and the console, which `npm run console` installs and generates.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { browserPath } from '../programs.ts';

const cwd = fileURLToPath(new URL('../../../', import.meta.url));
const env = { ...process.env, PORT: '0', HOST: '127.0.0.1' };

if (browserPath === undefined) throw new Error('no Chromium here: set CHROMIUM to its path');
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });

/** Starts a program of this repository, and takes a screenshot of its complete page. */
const take = async (
  script: string,
  name: string,
  viewport: { readonly width: number; readonly height: number },
  act: (page: Page) => Promise<void>,
): Promise<void> => {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [script], { cwd, env, stdio: [...stdio] });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes('Ctrl-C')) break;
  }
  const page = await browser.newPage({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(/http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(printed)?.[0] ?? '');
  await act(page);
  const session = await page.context().newCDPSession(page);
  // WebP is a third of the size of PNG.
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  writeFileSync(`${cwd}docs/images/${name}.webp`, Buffer.from(data, 'base64'));
  child.kill('SIGINT');
  await exited;
};

await take('examples/console/start.ts', 'console', { width: 1280, height: 720 }, async (page) => {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('article', { name: 'API latency' }).waitFor();
  await page.getByRole('article', { name: 'clickstream', exact: true }).waitFor();
});
await take('sandbox/demo.ts', 'graphiql', { width: 1400, height: 800 }, async (page) => {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await page.locator('.result-window').getByText('Northwind Analytics').waitFor();
  await page.mouse.move(0, 0);
  // The editor colours the last lines later: a line in one colour is one span.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.result-window .view-line')].every(
      (line) => !line.textContent.includes(':') || line.querySelectorAll('span > span').length > 1,
    ),
  );
});
await browser.close();
