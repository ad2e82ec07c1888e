import { setTimeout as pause } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  heldBack,
  photographConsole,
  right,
  row,
  shows,
  signIn,
  stopPipe,
} from '../../support/browser/console-page.ts';
import {
  consoleOn,
  consoleOnSandbox,
  createGate,
  pipesOf,
  smallWorld,
} from '../../support/browser/console-world.ts';
import { json, paced } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);

const textOf = (status: Locator): Promise<string> => status.first().innerText();

describeInBrowser('the console, while it waits,', () => {
  const open = consoleOn();
  const openSandbox = consoleOnSandbox();

  it('tells of the limit where a read takes more than a second, and only there', async () => {
    const gate = createGate();
    const { page, pass } = await open({
      management: async (call) => {
        await gate.passed;
        return backend.management(call);
      },
    });
    await signIn(page, right);
    const pipes = half(page, 'Pipes').getByRole('status');
    await shows(half(page, 'Alerts').getByRole('status').first(), 'Live');
    await pass(0.9);
    expect(await textOf(pipes)).toBe('Reading pipes…');
    await pass(0.2);
    await shows(pipes, 'Still reading: the limit is 10 calls in 10 seconds…');
    expect(await textOf(half(page, 'Alerts').getByRole('status'))).toBe('Live');
    expect(await heldBack(page)).toBe(0);
    await expectAccessible(page);
    await photographConsole(page, 'waiting');

    gate.open();
    await shows(row(page, 'clicks'), 'Running');
    await shows(pipes, 'Live');
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
    await stopPipe(page, 'clicks');
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

  it('says what a limit kept back, and shows it by itself when it has come', async () => {
    const state = { limited: true };
    const { page } = await open({
      management: (call) => {
        if (!state.limited || call.path !== pipesOf('service-2')) return backend.management(call);
        const limited = json({ status: 429, error: 'slow down', requestId: 'r-1' }, 429);
        return { ...limited, headers: { ...limited.headers, 'retry-after': '1' } };
      },
    });
    await signIn(page, { keyId: right.keyId, keySecret: right.keySecret });
    const waiting = half(page, 'Pipes').getByText(
      'A part waits for the limit of 10 calls in 10 seconds, and will follow by itself.',
    );
    await waiting.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await photographConsole(page, 'kept-back');
    state.limited = false;
    await waiting.waitFor({ state: 'detached' });
    await shows(row(page, 'clicks'), 'Running');
    await shows(row(page, 'views'), 'Stopped');
  });

  it('says how old the oldest part was, where the gateway answered from its memory', async () => {
    const { page, stack } = await open({
      reads: 'never',
      config: { ...paced, managementRate: { calls: 5, windowMs: 60_000 } },
    });
    const { keyId, keySecret } = right;
    const headers = {
      'management-authorization': `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`,
    };
    const document = '{ organizations { name services { name pipes { state } } } }';
    await stack.query(document, { headers });
    // Longer than any of these reads is fresh.
    await pause(11_000);
    await signIn(page, { keyId, keySecret });
    await shows(row(page, 'clicks'), 'Running');
    await shows(half(page, 'Pipes').getByRole('status'), /^Live, as of \d+ s ago$/);
    await photographConsole(page, 'stale');
    expect(stack.calls).toHaveLength(5);
  });

  it('keeps the limits of the sandbox: waits for others, then shows what follows a command', async () => {
    const { page, pass, stack, complaints } = await openSandbox({ limits: true });
    // Somebody else has used the key up, past this gateway.
    const { header } = credentials.management.admin;
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { status } = await fetch(`${stack.sandbox.managementUrl}/v1/organizations`, {
          headers: { authorization: header },
        });
        return status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await signIn(page, right);
    await shows(row(page, 'API latency'), 'OK');
    await pass(2);
    await shows(
      half(page, 'Pipes').getByRole('status'),
      'Still reading: the limit is 10 calls in 10 seconds…',
    );
    await shows(row(page, 'clickstream'), 'Running');
    await stopPipe(page, 'clickstream');
    await shows(row(page, 'clickstream'), 'Stopping');
    await shows(row(page, 'clickstream'), 'Stopped');
    expect(complaints).toEqual([]);
    // The first call met the others' limit; from then on none did.
    expect(await page.getByRole('alert').count()).toBe(0);
  }, 120_000);
});
