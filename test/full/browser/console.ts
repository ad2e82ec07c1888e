import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { cloud, hyperdx } from '../../profiles/rows.ts';
import {
  type Answer,
  type Answering,
  json,
  result,
  startSandboxStack,
  startStack,
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

/** Its first pipe. */
export const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];

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

/** What a text between slashes, or any other, stands for. */
const patternOf = (text: string) => (/^\/.*\/$/.test(text) ? new RegExp(text.slice(1, -1)) : text);

type Verb = (place: Locator, words: string) => Promise<unknown>;
type Verbs = Readonly<Record<string, Verb>>;

/** The steps on a page, and those of a backend; → a function that takes them one after the other. */
export const createSteps = (page: Page, more: Verbs = {}) => {
  const { keyboard } = page;
  /** A half, the summary, the dialog, or a row, by its name. */
  const placeOf = (name: string): Locator => {
    if (name === 'page') return page.locator(':root');
    if (['Pipes', 'Alerts', 'Needs attention'].includes(name)) {
      return page.getByRole('region', { name });
    }
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
  /** Does something with fields, given as `Key id=a, Token=b`. */
  const fields =
    (use: (field: Locator, text: string) => Promise<unknown>): Verb =>
    async (place, words) => {
      for (const [name = '', text = ''] of words.split(', ').map((pair) => pair.split('='))) {
        const list = place.getByRole('combobox', { name });
        await use(place.getByLabel(name, { exact: true }).or(list), text);
      }
    };
  const fill = fields((field, text) => field.fill(text));
  const signIn =
    (given: string): Verb =>
    async (place, words) => {
      await fill(place, given);
      if (words) await fill(place, words);
      await press(place, 'Sign in');
    };
  const all = Object.entries(right).map((pair) => pair.join('='));
  const see: Verb = (place, text) =>
    place.getByText(patternOf(text), { exact: true }).first().waitFor();
  const verbs: Verbs = {
    ...more,
    'sign in': signIn(all.join(', ')),
    'sign in but': signIn(all.join(', ')),
    'sign in with': signIn('Key id=, Key secret=, Token='),
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
    /** The names of the rows of a place, or only how many there are. */
    rows: async (place, words) => {
      const rows = place.locator('.rows > li');
      const names = async () => (await rows.locator('strong').allInnerTexts()).join(', ');
      await expect
        .poll(() => (/^\d+$/.test(words) ? rows.count().then(String) : names()))
        .toBe(words);
    },
    value: fields(async (field, text) => expect(await field.inputValue()).toBe(text)),
    title: (_, text) => expect.poll(() => page.title()).toBe(text),
    fill,
    choose: fields((field, option) => field.selectOption(option)),
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
    disconnect: () => page.route('**/graphql', (route) => route.abort()),
    reconnect: () => page.unroute('**/graphql'),
    become: (_, state) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state),
    'look at all': () => expectAccessible(page),
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
const openConsole = async (folder: string, url: string, more: Verbs) => {
  const opened = await openBuilt(folder, url);
  const { page } = opened;
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  return { ...opened, ...createSteps(page, more) };
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

export const failing = (status: number, error: string): Answer => ({
  ...json({ status, error, message: error, requestId: 'r-1' }, status),
  headers: { 'content-type': 'application/json', 'retry-after': '1' },
});

/** `403 some text` is a failure, the name of a state a list with the first pipe in it, and nothing what the world has. */
const answerOf = (words: string): Answer | undefined => {
  const [, status, text = ''] = /^(\d*) ?(.*)$/.exec(words) ?? [];
  if (status) return failing(Number(status), text);
  return text === '' ? undefined : result([{ ...clicks, state: text }]);
};

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
    /**
     * With the steps `hold <calls>` and `answer <calls> with <words>`, and `answer <calls>` for the world's own answer. The
     * pattern of the calls is of their `METHOD /path`, in which things have names.
     */
    open: async ({ world = smallWorld, reads = 'soon', config = {} }: Options = {}) => {
      const well = createBackend(world);
      const rules = new Map<string, PromiseWithResolvers<Answer | undefined>>();
      const answering: Answering = async (call) => {
        const line = withNames(`${call.method} ${call.path}`);
        const rule = [...rules].findLast(([calls]) => new RegExp(calls).test(line));
        return (await rule?.[1].promise) ?? well[call.upstream](call);
      };
      const gateway = { pollMs: polls[reads] };
      const backends = { management: answering, observability: answering };
      const stack = await startStack({ ...backends, gateway, config });
      onTestFinished(() => stack.close());
      const hold = (calls: string) => void rules.set(calls, Promise.withResolvers());
      const answer = (calls: string, instead: Answer | undefined): void => {
        rules.get(calls)?.resolve(instead);
        hold(calls);
        rules.get(calls)?.resolve(instead);
      };
      const opened = await openConsole(folder, stack.url, {
        hold: async (_, calls) => hold(calls),
        answer: async (_, words) => {
          const [calls = '', instead = ''] = words.split(' with ');
          answer(calls, answerOf(instead));
        },
        streams: (_, count) =>
          expect.poll(() => String(stack.gateway.streams().streams)).toBe(count),
      });
      return { ...opened, stack, answer };
    },
    /** The sandbox's clock stands still like the page's; the step `settle` moves it past a pipe's transition. */
    openSandbox: async (reads: keyof typeof polls = 'soon', profile?: 'live') => {
      let now = Date.now();
      const transitionMs = 2000;
      const stack = await startSandboxStack({
        sandbox: {
          limits: false,
          transitionMs,
          clock: () => new Date(now),
          ...(profile && { profile }),
        },
        ...(profile && { config: { ...cloud, ...hyperdx } }),
        gateway: { pollMs: polls[reads] },
      });
      onTestFinished(() => stack.close());
      const settle = async (): Promise<void> => {
        now += transitionMs;
      };
      return { ...(await openConsole(folder, stack.url, { settle })), stack };
    },
  };
};
