import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  answerInPlace,
  expectAccessible,
  half,
  heldBack,
  operationsOf,
  photographConsole,
  right,
  row,
  says,
  setVisible,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOn, createGate, smallWorld } from '../../support/browser/console-world.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);

/** A page whose second service has to wait for longer than the gateway does. */
const inPart = {
  data: {
    organizations: [
      {
        nodeId: 'o',
        name: 'Acme',
        services: [
          { nodeId: 'a', name: 'main', pipes: [] },
          { nodeId: 'b', name: 'spare', pipes: null },
        ],
      },
    ],
  },
  errors: [
    {
      message: 'management takes no further call now.',
      path: ['organizations', 0, 'services', 1, 'pipes'],
      extensions: {
        code: 'RATE_LIMITED',
        retryable: true,
        retryAfterSeconds: 7,
        requestId: '0f9c',
      },
    },
  ],
};

const textOf = (status: Locator): Promise<string> => status.first().innerText();

/** Seconds between the two times of day that a text names. */
const secondsBetween = (text: string): number => {
  const [from = 0, to = 0] = [...text.matchAll(/(\d\d):(\d\d):(\d\d)/g)].map(
    ([, hours, minutes, seconds]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
  );
  return (to - from + 86_400) % 86_400;
};

describeInBrowser('the console', () => {
  const open = consoleOn();

  it('tells of the limit where a read takes more than a second, and only there', async () => {
    const gate = createGate();
    const { page, pass } = await open({
      management: async (call) => {
        await gate.passed;
        return backend.management(call);
      },
    });
    await signIn(page, right);
    const databases = half(page, 'Databases').getByRole('status');
    await shows(half(page, 'Dashboards').getByRole('status').first(), /^Read at /);
    await pass(0.9);
    expect(await textOf(databases)).toBe('Reading databases…');
    await pass(0.2);
    await shows(databases, 'Still reading: the limit is 10 calls in 10 seconds…');
    expect(await textOf(half(page, 'Dashboards').getByRole('status'))).toMatch(/^Read at /);
    expect(await heldBack(page)).toBe(0);
    await expectAccessible(page);
    await photographConsole(page, 'waiting');

    gate.open();
    await shows(row(page, 'clicks'), 'Running');
    await shows(databases, /^Read at \d\d:\d\d:\d\d$/);
  });

  it('says the same of a command and of a change', async () => {
    const gate = createGate();
    const { page, pass } = await open({
      management: async (call) => {
        if (call.method === 'PATCH') await gate.passed;
        return backend.management(call);
      },
      observability: async (call) => {
        if (call.method === 'PUT') await gate.passed;
        return backend.observability(call);
      },
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    const alert = row(page, 'Too many errors');
    await pipe.getByRole('button', { name: 'Stop' }).click();
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(pipe.getByRole('status'), 'Sending…');
    await shows(alert.getByRole('status'), 'Saving…');
    await pass(1);
    await shows(pipe.getByRole('status'), 'Still sending: the limit is 10 calls in 10 seconds…');
    await shows(alert.getByRole('status'), 'Still saving: the limit is 100 calls in a minute…');
    await photographConsole(page, 'sending');

    gate.open();
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await shows(alert.getByRole('status'), 'The threshold is saved.');
  });

  it('says when it reads again what a limit kept back, and does so once', async () => {
    const { page, pass } = await open({});
    const refused = { left: 2 };
    await answerInPlace(page, 'Databases', async () => {
      refused.left -= 1;
      return refused.left < 0 ? undefined : inPart;
    });
    const operations = operationsOf(page);
    const reads = () => operations.filter((name) => name === 'Databases').length;
    await signIn(page, right);
    const databases = half(page, 'Databases');
    const status = databases.getByRole('status');
    await shows(status, /^Read in part at .*, reads again at .*$/);
    expect(secondsBetween(await textOf(status))).toBe(7);
    const alert = await says(databases, 'management takes no further call now.');
    expect(await alert.innerText()).not.toContain('Try again in');
    await pass(6.9);
    expect(reads()).toBe(1);
    await pass(0.2);
    // Once more in vain: from now on it is for the person.
    await says(databases, 'Try again in 7 s.');
    await shows(status, /^Read in part at \d\d:\d\d:\d\d$/);
    expect(reads()).toBe(2);
    await pass(600);
    expect(reads()).toBe(2);
    await databases.getByRole('button', { name: 'Try again' }).click();
    await shows(row(page, 'views'), 'Stopped');
    expect(reads()).toBe(3);
  });

  it('does not read again while nobody sees the page', async () => {
    const { page, pass } = await open({});
    const refused = { left: 1 };
    await answerInPlace(page, 'Databases', async () => {
      refused.left -= 1;
      return refused.left < 0 ? undefined : inPart;
    });
    const operations = operationsOf(page);
    await signIn(page, { keyId: right.keyId, keySecret: right.keySecret });
    await shows(half(page, 'Databases').getByRole('status'), /reads again at/);
    await expectAccessible(page);
    await photographConsole(page, 'kept-back');
    await setVisible(page, false);
    await pass(600);
    expect(operations).toEqual(['Databases']);
    await setVisible(page, true);
    await shows(row(page, 'views'), 'Stopped');
    expect(operations).toEqual(['Databases', 'Databases']);
  });

  it('says how old the oldest part was, where the gateway answered from its memory', async () => {
    const { page } = await open({});
    for (const name of ['Databases', 'Dashboards']) {
      await answerInPlace(page, name, async (fromGateway) => ({
        ...(await fromGateway()),
        extensions: { staleSeconds: 12 },
      }));
    }
    await signIn(page, right);
    await shows(row(page, 'clicks'), 'Running');
    for (const name of ['Databases', 'Dashboards'] as const) {
      await shows(
        half(page, name).getByRole('status'),
        /^Read at \d\d:\d\d:\d\d, as of 12 s earlier$/,
      );
    }
    await photographConsole(page, 'stale');
  });
});
