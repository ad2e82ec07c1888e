import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type Answer, type Answering, startSandboxStack, startStack } from '../harness.ts';
import { createBackend, type World } from '../world/backend.ts';
import { withIds } from '../world/ids.ts';
import { buildPage, openBuilt, photograph, root } from './chromium.ts';

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

/** Organizations with their services, and the names and states of their pipes; and two tiles, one with an alert. */
export const worldOf = (
  named: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): World => {
  const counts = { organization: 0, service: 0, pipe: 0 };
  const next = (kind: keyof typeof counts, name: string) => {
    counts[kind] += 1;
    return { id: `${kind}-${counts[kind]}`, name };
  };
  const pipeOf = (text: string) => {
    const [, name = '', state] = /^(.*) (\w+)$/.exec(text) ?? [];
    return { ...next('pipe', name), state, source: { kafka: { topics: 'clicks' } } };
  };
  const organizations = Object.entries(named).map(([organization, services]) => ({
    ...next('organization', organization),
    invitations: [],
    services: Object.entries(services).map(([service, pipes]) => ({
      ...next('service', service),
      ...{ backup: null, pipes: pipes.map(pipeOf) },
    })),
  }));
  const dashboards = [{ id: 'dashboard-1', name: 'Health', tags: [], tiles }];
  return JSON.parse(withIds(JSON.stringify({ organizations, dashboards, alerts: [alert] })));
};

export const smallWorld: World = worldOf({
  Acme: { main: ['clicks Running'], spare: ['views Stopped'], new: [] },
});

/** The path of the list of a service's pipes. */
export const pipesOf = (of: string): string =>
  withIds(`/v1/organizations/organization-1/services/${of}/pipes`);

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
const expectAccessible = async (page: Page, name: string): Promise<void> => {
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

const pairsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split(', ').map((pair) => pair.split('=')));

/** What a text between slashes, or any other, stands for. */
const patternOf = (text: string) => (/^\/.*\/$/.test(text) ? new RegExp(text.slice(1, -1)) : text);

type Verb = (place: Locator, words: string) => Promise<unknown>;

/** The steps on a page; → a function that takes them one after the other. */
export const createSteps = (page: Page, settle = () => {}) => {
  const { keyboard } = page;
  /** A half, the summary, the dialog, or a row, by its name. */
  const placeOf = (name: string): Locator => {
    if (name === 'page') return page.locator(':root');
    if (name === 'Pipes' || name === 'Alerts') return page.getByRole('region', { name });
    if (name === 'Summary') return page.getByRole('status', { name });
    if (name.endsWith('?')) return page.getByRole('dialog', { name });
    return page.getByRole('article', { name, exact: true });
  };
  /** The place itself, a field or button in it, or an element by its selector, which begins with a small letter or dot. */
  const targetIn = (place: Locator, words: string): Locator => {
    if (words === '') return place;
    if (/^[.a-z]/.test(words)) return place.locator(words);
    const button = place.getByRole('button', { name: words });
    return place.getByLabel(words, { exact: true }).or(button).first();
  };
  const hasFocus = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => element === document.activeElement);
  const press: Verb = (place, name) => place.getByRole('button', { name }).click();
  const signIn = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    for (const name of Object.keys(right)) {
      await page.getByLabel(name, { exact: true }).fill(fields[name] ?? '');
    }
    await press(placeOf('page'), 'Sign in');
  };
  const see: Verb = (place, text) =>
    place.getByText(patternOf(text), { exact: true }).first().waitFor();
  const verbs: Readonly<Record<string, Verb>> = {
    'sign in': () => signIn(right),
    'sign in but': (_, words) => signIn({ ...right, ...pairsOf(words) }),
    'sign in with': (_, words) => signIn(pairsOf(words)),
    see,
    status: (place, text) => see(place.getByRole('status'), text),
    alert: (place, text) => place.getByRole('alert').filter({ hasText: text }).waitFor(),
    no: async (place, role) =>
      expect(await place.getByRole(role as 'alert' | 'dialog' | 'form').count()).toBe(0),
    gone: (place) => place.waitFor({ state: 'detached' }),
    press,
    stop: async (_, name) => {
      await press(placeOf(name), 'Stop');
      await press(page.getByRole('dialog'), 'Stop pipe');
    },
    buttons: async (place, names) => {
      const texts = await place.getByRole('button').allInnerTexts();
      expect(texts.map((text) => text.replaceAll(/\s+/g, ' ')).join(', ')).toBe(names);
    },
    fill: async (place, words) => {
      for (const [name, text] of Object.entries(pairsOf(words))) {
        await place.getByLabel(name, { exact: true }).fill(text);
      }
    },
    choose: async (place, words) => {
      for (const [name, option] of Object.entries(pairsOf(words))) {
        await place.getByRole('combobox', { name }).selectOption(option);
      }
    },
    focus: async (place, words) => expect(await hasFocus(targetIn(place, words))).toBe(true),
    'tab to': async (place, words) => {
      const target = targetIn(place, words);
      for (let presses = 0; presses < 100; presses += 1) {
        if (await hasFocus(target)) return;
        await keyboard.press('Tab');
      }
      throw new Error('Tab does not reach it');
    },
    key: (_, name) => keyboard.press(name),
    type: (_, text) => keyboard.type(text),
    pass: async (_, seconds) => {
      await page.clock.runFor(Number(seconds) * 1000);
      // Requests are reported in order: this one comes after all requests that the page sent in that time.
      await page.evaluate(async () => (await fetch(location.href)).text());
    },
    settle: async () => settle(),
    disconnect: () => page.route('**/graphql', (route) => route.abort()),
    reconnect: () => page.unroute('**/graphql'),
    become: (_, state) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state),
    'look at': (_, name) => expectAccessible(page, name),
  };
  const names = Object.keys(verbs).sort((one, other) => other.length - one.length);
  const form = new RegExp(`^(?:(.+?): )?(${names.join('|')})(?: (.*))?$`);
  /** Steps such as `clicks: press Stop`, by lines or semicolons: what is done or seen there, or anywhere on the page. */
  const act = async (steps: string): Promise<void> => {
    for (const step of steps.split(/;|\n/).map((text) => text.trim())) {
      if (step === '') continue;
      const [, place = 'page', name = '', words = ''] = form.exec(step) ?? [];
      const failed = (error: unknown) => {
        throw new Error(`${step}: ${error}`, { cause: error });
      };
      await (verbs[name]?.(placeOf(place), words) ?? Promise.reject('unknown')).catch(failed);
    }
  };
  return { act, placeOf };
};

/** Opens a built console with the gateway at `url`. The page's clock moves only with the step `pass`, in seconds. */
const openConsole = async (folder: string, url: string, settle?: () => void) => {
  const opened = await openBuilt(folder, url);
  const { page } = opened;
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  return { ...opened, ...createSteps(page, settle) };
};

/** Poll intervals: at once, or never during a test. */
const polls = {
  soon: { management: 50, observability: 50 },
  never: { management: 600_000, observability: 600_000 },
} as const;

interface Options {
  readonly reads?: keyof typeof polls;
  readonly world?: World;
  readonly config?: Partial<Config>;
}

/** An answer in place of the world's, which may come late; undefined for the world's. */
type Instead = Answer | undefined | Promise<Answer | undefined>;

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
    open: async ({ world = smallWorld, reads = 'soon', config = {} }: Options = {}) => {
      const well = createBackend(world);
      const rules = new Map<string, Instead>();
      const answering: Answering = async (call) => {
        const line = `${call.method} ${call.path}`;
        const rule = [...rules].find(([calls]) => new RegExp(withIds(calls)).test(line));
        return (await rule?.[1]) ?? well[call.upstream](call);
      };
      const gateway = { pollMs: polls[reads] };
      const backends = { management: answering, observability: answering };
      const stack = await startStack({ ...backends, gateway, config });
      onTestFinished(() => stack.close());
      /** From now on answers calls so whose `METHOD /path` has this pattern, in which things have names. */
      const answer = (calls: string, instead: Instead): void => {
        rules.delete(calls);
        if (instead) rules.set(calls, instead);
      };
      return { ...(await openConsole(folder, stack.url)), stack, answer };
    },
    /** The sandbox's clock stands still like the page's; the step `settle` moves it past a pipe's transition. */
    openSandbox: async (reads: keyof typeof polls = 'soon') => {
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
      return { ...(await openConsole(folder, stack.url, settle)), stack };
    },
  };
};
