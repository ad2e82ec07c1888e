import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { oneTree } from '../../profiles/rows.ts';
import {
  type Answer,
  type Answering,
  json,
  result,
  stackInTest,
  startSandboxStack,
} from '../../support/harness.ts';
import { createBackend, type World } from '../../support/world/backend.ts';
import { withIds, withNames } from '../../support/world/ids.ts';
import { buildPage, openBuilt, root } from './chromium.ts';

/** Correct credentials for the sandbox, by the fields of the form. */
export const right = {
  'Key id': 'demo-admin-key',
  'Key secret': 'demo-admin-secret',
  Token: 'demo-main-token',
} as const;

const alert = {
  ...{ id: 'alert-1', name: 'Too many errors', state: 'OK', source: 'tile', interval: '5m' },
  ...{ threshold: 5, thresholdType: 'above', dashboard: 'dashboard-1', tileId: 'tile-1' },
  channel: { type: 'webhook', webhookId: 'webhook-1' },
};
const tiles = ['Errors', 'Notes'].map((name, index) => ({
  ...{ id: `tile-${index + 1}`, name, x: 0, y: 0, w: 4, h: 2, series: [] },
}));

type Tree<Leaf> = Readonly<Record<string, Leaf>>;

/** Organizations with their services, and the states of their pipes by name; and two tiles, one with an alert. */
const worldOf = (named: Tree<Tree<Tree<string>>>): World => {
  const counts = { organization: 0, service: 0, pipe: 0 };
  const next = (kind: keyof typeof counts, name: string) => {
    counts[kind] += 1;
    return { id: `${kind}-${counts[kind]}`, name };
  };
  const source = { kafka: { topics: 'clicks' } };
  const organizations = Object.entries(named).map(([organization, services]) => ({
    ...next('organization', organization),
    invitations: [],
    services: Object.entries(services).map(([service, pipes]) => ({
      ...next('service', service),
      backup: null,
      pipes: Object.entries(pipes).map(([pipe, state]) => ({
        ...next('pipe', pipe),
        state,
        source,
      })),
    })),
  }));
  const dashboards = [{ id: 'dashboard-1', name: 'Health', tags: [], tiles }];
  return JSON.parse(withIds(JSON.stringify({ organizations, dashboards, alerts: [alert] })));
};

export const smallWorld: World = worldOf({
  Acme: { main: { clicks: 'Running' }, spare: { views: 'Stopped' }, new: {} },
});

const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];

/** The path of the list of a service's pipes. */
export const pipesOf = (of: string): string =>
  withIds(`/v1/organizations/organization-1/services/${of}/pipes`);

export const failing = (status: number, error: string): Answer => ({
  ...json({ status, error, message: error, requestId: 'r-1' }, status),
  headers: { 'content-type': 'application/json', 'retry-after': '1' },
});

/** A list with the first pipe, in this state. */
export const clicksIn = (state: string): Answer => result([{ ...clicks, state }]);

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

/** Expects no findings of axe in light and dark mode, and no scrolling to the side on a phone. */
const expectAccessible = async (page: Page): Promise<void> => {
  const wide = page.viewportSize();
  if (!wide) throw new Error('the page has no size');
  for (const colorScheme of ['dark', 'light'] as const) {
    // Without animations, during which colours would be wrong.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await analyze(page);
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
  }
  await page.setViewportSize({ width: 400, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  await page.setViewportSize(wide);
};

/** What is done to the page or seen on it. */
export type Step = () => unknown;

/** Takes steps one after the other. */
export const act = async (...steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step();
};

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

/** The steps in a part of a page. */
const stepsIn = (at: Locator) => {
  const field = (label: string): Locator =>
    at.getByLabel(label, { exact: true }).or(at.getByRole('combobox', { name: label }));
  /** A field or button by its name, another element, or else the part itself. */
  const targetOf = (target: string | Locator = at): Locator =>
    typeof target === 'string'
      ? field(target)
          .or(at.getByRole('button', { name: target }))
          .first()
      : target;
  return {
    at,
    sees: (text: string | RegExp) => () => at.getByText(text, { exact: true }).first().waitFor(),
    status: (text: string) => () =>
      at.getByRole('status').getByText(text, { exact: true }).first().waitFor(),
    alert: (text: string) => () => at.getByRole('alert').filter({ hasText: text }).waitFor(),
    hasNo: (role: 'alert' | 'dialog' | 'form') => async () =>
      expect(await at.getByRole(role).count()).toBe(0),
    isGone: () => at.waitFor({ state: 'detached' }),
    press: (name: string) => () => at.getByRole('button', { name }).click(),
    fill: (label: string, text: string) => () => field(label).fill(text),
    choose: (label: string, option: string) => () => field(label).selectOption(option),
    holds: (label: string, text: string) => async () =>
      expect(await field(label).inputValue()).toBe(text),
    hasButtons: (texts: string) => async () => {
      const shown = (await at.getByRole('button').allInnerTexts()).join(', ');
      expect(shown.replaceAll(/\s+/g, ' ')).toBe(texts);
    },
    hasFocus: (target?: string | Locator) => async () =>
      expect(await hasFocus(targetOf(target))).toBe(true),
    tabTo: (target?: string | Locator) => async () => {
      for (let presses = 0; presses < 100; presses += 1) {
        if (await hasFocus(targetOf(target))) return;
        await at.page().keyboard.press('Tab');
      }
      throw new Error('Tab does not reach it');
    },
  };
};

/** The console on a page: its parts, and the steps that belong to none of them. */
export const consoleOn = (page: Page) => {
  const whole = stepsIn(page.locator(':root'));
  const region = (name: string) => stepsIn(page.getByRole('region', { name }));
  const row = (name: string) => stepsIn(page.getByRole('article', { name, exact: true }));
  /** Signs in with the right credentials, or with others in their place. */
  const signIn =
    (others: Partial<Record<keyof typeof right, string>> = {}): Step =>
    async () => {
      for (const [label, text] of Object.entries({ ...right, ...others })) {
        await whole.fill(label, text)();
      }
      await whole.press('Sign in')();
    };
  return {
    page,
    whole,
    row,
    signIn,
    pipes: region('Pipes'),
    alerts: region('Alerts'),
    dialog: stepsIn(page.getByRole('dialog')),
    stop:
      (name: string): Step =>
      async () => {
        await row(name).press('Stop')();
        await page.getByRole('dialog').getByRole('button', { name: 'Stop pipe' }).click();
      },
    key: (name: string) => () => page.keyboard.press(name),
    type: (text: string) => () => page.keyboard.type(text),
    /** Moves the page's clock, which stands still otherwise. */
    pass: (seconds: number) => async () => {
      await page.clock.runFor(seconds * 1000);
      // Requests are reported in order: this one comes after all requests that the page sent in that time.
      await page.evaluate(async () => (await fetch(location.href)).text());
    },
    disconnect: () => page.route('**/graphql', (route) => route.abort()),
    reconnect: () => page.unroute('**/graphql'),
    become: (state: 'hidden' | 'visible') => () =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state),
    isAccessible: () => expectAccessible(page),
  };
};

/** Opens a built console with the gateway at `url`. */
const openConsole = async (folder: string, url: string) => {
  const opened = await openBuilt(folder, url);
  await opened.page.clock.install();
  await opened.page.clock.pauseAt(Date.now() + 60_000);
  return { ...opened, ...consoleOn(opened.page) };
};

const pollMs = { management: 50, observability: 50 };

/** Builds the console for the tests of a file; returns functions that open it with backends or with a sandbox. */
export const useConsole = () => {
  let folder = '';
  beforeAll(async () => {
    const console = join(root, 'examples/console');
    folder = await buildPage('examples/console/src/generated', { root: console });
  });
  afterAll(() => rm(folder, { recursive: true }));
  return {
    folder: () => folder,
    /** With steps that hold or answer the calls whose `METHOD /path`, in which things have names, has these words. */
    open: async () => {
      const well = createBackend(smallWorld);
      const rules = new Map<string, PromiseWithResolvers<Answer | undefined>>();
      const answering: Answering = async (call) => {
        const line = withNames(`${call.method} ${call.path}`);
        const rule = [...rules].findLast(([words]) => line.includes(words));
        return (await rule?.[1].promise) ?? well[call.upstream](call);
      };
      const backends = { management: answering, observability: answering };
      const stack = await stackInTest({ ...backends, gateway: { pollMs } });
      const hold = (words: string) => () => void rules.set(words, Promise.withResolvers());
      return {
        ...(await openConsole(folder, stack.url)),
        stack,
        hold,
        /** With the world's own answer if there is none. */
        answer: (words: string, answer?: Answer) => () => {
          rules.get(words)?.resolve(answer);
          hold(words)();
          rules.get(words)?.resolve(answer);
        },
        streams: (count: number) => () =>
          expect.poll(() => stack.gateway.streams().streams).toBe(count),
      };
    },
    /** The sandbox's clock stands still like the page's; the step `settle` moves it past a pipe's transition. */
    openSandbox: async (profile?: 'clickstack-cloud') => {
      let now = Date.now();
      const transitionMs = 2000;
      const clock = () => new Date(now);
      const stack = await startSandboxStack({
        sandbox: { limits: false, transitionMs, clock, ...(profile && { profile }) },
        ...(profile && { config: oneTree }),
        gateway: { pollMs },
      });
      onTestFinished(() => stack.close());
      const settle: Step = () => {
        now += transitionMs;
      };
      return { ...(await openConsole(folder, stack.url)), stack, settle };
    },
  };
};
