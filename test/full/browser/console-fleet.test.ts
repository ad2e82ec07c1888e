import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  hasFocus,
  photographConsole,
  right,
  row,
  says,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOn, smallWorld } from '../../support/browser/console-world.ts';
import { json, paced } from '../../support/harness.ts';
import { createBackend, type World } from '../../support/world/backend.ts';
import { withIds } from '../../support/world/ids.ts';
import { numbers } from '../../support/world/worlds.ts';

const services = numbers(120).map((number) => ({
  id: `service-${number}`,
  name: `service ${number}`,
  backup: null,
  pipes: ['clicks', 'views'].map((name, index) => ({
    id: `pipe-${number}0${index}`,
    name: `${name} ${number}`,
    state: 'Running',
    source: { kafka: { topics: 'clicks' } },
  })),
}));
const organization = { id: 'organization-1', name: 'Acme', invitations: [], services };

/** 120 services with two pipes each. */
const fleet: World = {
  ...smallWorld,
  ...JSON.parse(withIds(JSON.stringify({ organizations: [organization] }))),
};
const backend = createBackend(fleet);

const pathOf = (number: number): string => `/services/${withIds(`service-${number}`)}/pipes`;

/** The fleet, in which the second service sleeps, and the third and the fourth fail. */
const management: typeof backend.management = (call) => {
  const answers = { 2: 424, 3: 500, 4: 500 };
  for (const [number, status] of Object.entries(answers)) {
    if (!call.path.endsWith(pathOf(Number(number)))) continue;
    return json({ status, error: 'no', requestId: 'r-1' }, status);
  }
  return backend.management(call);
};

const rows = (page: Page) => half(page, 'Pipes').getByRole('article');
const summary = (page: Page) => page.getByRole('status', { name: 'Summary' });
const condition = (page: Page) => half(page, 'Pipes').getByRole('status').first();

describeInBrowser('the console over more services than the limit has calls', () => {
  const open = consoleOn();

  const follow = async (calls: number, windowMs: number) => {
    const managementRate = { calls, windowMs };
    const config = { ...paced, managementRate, pacingWaitMs: 300 };
    const opened = await open({ world: fleet, management, reads: 'never', config });
    await opened.page.setViewportSize({ width: 1280, height: 900 });
    await signIn(opened.page, { keyId: right.keyId, keySecret: right.keySecret });
    return opened;
  };

  it('shows how far it is, what is there and what is missing', async () => {
    const { page, complaints } = await follow(40, 600_000);
    const pipes = half(page, 'Pipes');
    const words = /^\d+ of 121 read, about \d+ minutes more$/;
    await shows(pipes, words);
    await shows(condition(page), 'Live, not complete yet');
    await shows(summary(page), 'No pipe failed so far');
    const bar = page.getByRole('progressbar', { name: words });
    expect(await bar.evaluate(({ max }: HTMLProgressElement) => max)).toBe(121);
    await shows(row(page, 'clicks 1'), 'Running');
    await shows(row(page, 'service 2'), 'Not running');
    await shows(row(page, 'service 3'), 'Not readable');
    await says(pipes, 'Pipes of service 3 and service 4: ');
    await pipes.getByLabel('Filter pipes by name or service').fill('service 120');
    await shows(row(page, 'service 120'), 'Not read yet');
    await pipes.getByLabel('Filter pipes by name or service').fill('');
    await expectAccessible(page);
    await photographConsole(page, 'filling');
    expect(complaints).toEqual([]);
  });

  it('fills up by itself, and then shows fifty rows until somebody asks for all', async () => {
    const { page } = await follow(20, 1000);
    const pipes = half(page, 'Pipes');
    await page.getByRole('progressbar').waitFor();
    // More errors than the gateway tells of.
    expect(await page.getByText('left out').count()).toBe(0);
    await shows(condition(page), 'Live');
    await shows(summary(page), 'No pipe failed');
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await pipes.getByLabel('Show pipes').innerText()).not.toContain('Not read yet');

    expect(await rows(page).count()).toBe(50);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await pipes.getByRole('button', { name: 'Show 187 more' }).click();
    expect(await rows(page).count()).toBe(237);
    expect(await hasFocus(pipes)).toBe(true);
  });
});
