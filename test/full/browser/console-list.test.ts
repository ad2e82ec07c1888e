import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  hasFocus,
  offered,
  photographConsole,
  right,
  row,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOn, consoleOnSandbox, smallWorld } from '../../support/browser/console-world.ts';
import type { World } from '../../support/world/backend.ts';
import { withIds } from '../../support/world/ids.ts';

const states = [
  'Running',
  'Snapshot',
  'Stopping',
  'Paused',
  'InternalError',
  'Completed',
  'Napping',
];

/** Twelve pipes of two services of one organization, and one of another. */
const twelve: World = {
  ...smallWorld,
  ...JSON.parse(
    withIds(
      JSON.stringify({
        organizations: [1, 2].map((number) => ({
          id: `organization-${number}`,
          name: `Organization ${number}`,
          invitations: [],
          services: [1, 2].map((service) => ({
            id: `service-${number}${service}`,
            name: service === 1 ? 'main' : 'archive',
            backup: null,
            pipes: Array.from({ length: number === 1 ? 6 : 1 }, (_, index) => ({
              id: `pipe-${number}${service}${index}`,
              name: `pipe ${service === 1 ? index + 1 : index + 7} of ${number}`,
              state: states[(index + service) % states.length],
              source: { kafka: { topics: 'clicks' } },
            })),
          })),
        })),
      }),
    ),
  ),
};

const names = (page: Page, of: 'Pipes' | 'Alerts'): Promise<readonly string[]> =>
  half(page, of).locator('article strong').allInnerTexts();

describeInBrowser('the lists of the console', () => {
  const open = consoleOn();
  const openSandbox = consoleOnSandbox();

  it('show twelve pipes on one screen, and are as wide as a telephone', async () => {
    const { page } = await open({ world: twelve });
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn(page, right);
    const last = row(page, 'pipe 6 of 1');
    await last.waitFor();
    const rows = await half(page, 'Pipes').locator('article').all();
    expect(rows).toHaveLength(12);
    for (const each of rows) {
      const box = await each.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    }
    await expectAccessible(page);
    await photographConsole(page, 'twelve');
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  });

  it('say what a pipe does in few words, with the word of the service beside it', async () => {
    const { page } = await open({ world: twelve });
    await signIn(page, right);
    await row(page, 'pipe 1 of 1').waitFor();
    const said = async (name: string) => {
      const state = row(page, name).locator('.state');
      return [await state.innerText(), await state.getAttribute('title')];
    };
    expect(await said('pipe 7 of 1')).toEqual([
      'Changing\nStopping',
      'The service says "Stopping"',
    ]);
    expect(await said('pipe 1 of 1')).toEqual(['Running\nSnapshot', 'The service says "Snapshot"']);
    expect(await said('pipe 3 of 1')).toEqual(['Stopped\nPaused', 'The service says "Paused"']);
    expect(await said('pipe 4 of 1')).toEqual([
      'Failed\nInternalError',
      'The service says "InternalError"',
    ]);
    expect(await said('pipe 5 of 1')).toEqual(['Completed', 'The service says "Completed"']);
    expect(await said('pipe 6 of 1')).toEqual(['Unknown\nNapping', 'The service says "Napping"']);
  });

  it('can be filtered and sorted', async () => {
    const { page } = await open({ world: twelve });
    await signIn(page, right);
    await row(page, 'pipe 1 of 1').waitFor();
    const pipes = half(page, 'Pipes');
    const inOrder = (numbers: readonly number[]) => numbers.map((number) => `pipe ${number} of 1`);
    // By service: `archive` comes before `main`.
    expect(await names(page, 'Pipes')).toEqual(inOrder([7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6]));
    await pipes.getByLabel('Sort pipes').selectOption('By name');
    expect(await names(page, 'Pipes')).toEqual(inOrder([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    await pipes.getByLabel('Sort pipes').selectOption('By state');
    expect(await names(page, 'Pipes')).toEqual(inOrder([9, 4, 11, 6, 7, 2, 12, 1, 8, 3, 10, 5]));
    await page.getByRole('button', { name: '2 pipes failed' }).click();
    expect(await hasFocus(pipes)).toBe(true);
    expect(await names(page, 'Pipes')).toEqual(inOrder([9, 4]));
    await pipes.getByLabel('Filter pipes by name or service').fill('ARCHIVE');
    expect(await names(page, 'Pipes')).toEqual(inOrder([9]));
    await pipes.getByLabel('Show pipes').selectOption('Running (2)');
    await pipes.getByLabel('Filter pipes by name or service').fill('no such');
    await shows(pipes, /^None of the pipes matches\./);
    await pipes.getByRole('button', { name: 'Show all' }).click();
    expect(await names(page, 'Pipes')).toHaveLength(12);
  });

  it('are of one organization, which a key for several chooses', async () => {
    const { page } = await open({ world: twelve });
    await signIn(page, right);
    await row(page, 'pipe 1 of 1').waitFor();
    await page.getByLabel('Organization').selectOption('Organization 2');
    await row(page, 'pipe 7 of 2').waitFor();
    expect(await names(page, 'Pipes')).toEqual(['pipe 7 of 2', 'pipe 1 of 2']);
    expect(await offered(page, 'pipe 1 of 2')).toEqual(['Stop pipe 1 of 2']);
  });

  it('say when an alert fires and what it watches, the firing ones first', async () => {
    const { page } = await openSandbox();
    await signIn(page, right);
    await row(page, 'API error rate').waitFor();
    const texts = await half(page, 'Alerts').locator('article').allInnerTexts();
    const lines = texts.map((text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    );
    expect(lines.map((line) => line.slice(0, 3))).toEqual([
      ['API error rate', 'Above 0.02 for 5 minutes · API health › Error rate', 'Firing'],
      ['Consumer lag', 'Above 100,000 for 30 minutes · Ingestion › Consumer lag', 'Firing'],
      ['Quiet night', 'Below 1,000,000 for 12 hours · Ingestion › Rows per minute', 'No data'],
      ['Old landing page', 'Below 1 for 1 day · Deleted dashboard', 'Unknown'],
      ['Failed inserts', 'Above 0 for 1 hour · Ingestion › Failed inserts', 'Unknown'],
      ['Failed payments', 'Above 0.05 for 5 minutes · Checkout › Failed payments', 'Pending'],
      ['API latency', 'Above 800 for 15 minutes · API health › Latency, 95th percentile', 'OK'],
      ['Traffic has stopped', 'Below 10 for 1 minute · API health › Requests by route', 'OK'],
      ['Out of memory', 'Above 1 for 6 hours · Saved search', 'OK'],
      ['Alert on Orders', 'Below 100 for 1 day · Checkout › Orders', 'Disabled'],
    ]);
    await shows(row(page, 'Consumer lag'), 'silenced');
  });
});
