import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  hasFocus,
  heldBack,
  right,
  row,
  says,
  shows,
  signIn,
  stopPipe,
} from '../../support/browser/console-page.ts';
import { consoleOn, createGate, pipesOf, smallWorld } from '../../support/browser/console-world.ts';
import { json } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);

describeInBrowser('the console, with more than one thing under way', () => {
  const open = consoleOn();

  it('does not keep the outcome of one command back until another has ended', async () => {
    const gate = createGate();
    const { page } = await open({
      management: async (call) => {
        if (call.method === 'PATCH' && call.path.startsWith(pipesOf('service-1'))) {
          await gate.passed;
        }
        return backend.management(call);
      },
    });
    await signIn(page, right);
    const [slow, fast] = [row(page, 'clicks'), row(page, 'views')];
    await stopPipe(page, 'clicks');
    await shows(slow.getByRole('status'), 'Sending…');
    await fast.getByRole('button', { name: 'Start' }).click();
    await shows(fast.getByRole('status'), 'Start was sent.');
    await shows(slow.getByRole('status'), 'Sending…');

    gate.open();
    await shows(slow.getByRole('status'), 'Stop was sent.');
  });

  it('takes no second command while one is under way, and says that it is', async () => {
    const gate = createGate();
    const { page, stack } = await open({
      management: async (call) => {
        if (call.method === 'PATCH') await gate.passed;
        return backend.management(call);
      },
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    const stop = pipe.getByRole('button', { name: 'Stop' });
    await stopPipe(page, 'clicks');
    await shows(pipe.getByRole('status'), 'Sending…');
    expect(await heldBack(page)).toBe(0);
    expect(await stop.getAttribute('aria-disabled')).toBe('true');
    await stop.click({ force: true });
    await stop.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // Other pipes are free.
    const other = row(page, 'views').getByRole('button', { name: 'Start' });
    expect(await other.getAttribute('aria-disabled')).toBe(null);

    gate.open();
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    expect(await hasFocus(stop)).toBe(true);
    expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });

  it('lets an answer that comes late change nothing of the next session', async () => {
    const gate = createGate();
    const { page } = await open({
      management: async (call) => {
        if (call.method !== 'PATCH') return backend.management(call);
        await gate.passed;
        return json({ status: 401, error: 'no such key', requestId: 'r-1' }, 401);
      },
    });
    await signIn(page, right);
    await stopPipe(page, 'clicks');
    await shows(row(page, 'clicks').getByRole('status'), 'Sending…');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, right);
    await shows(row(page, 'clicks'), 'Running');

    const late = page.waitForResponse(
      (response) => response.request().postData()?.includes('mutation StopPipe') ?? false,
    );
    gate.open();
    await (await late).finished();
    await page.evaluate(() => new Promise((resolve) => queueMicrotask(() => resolve(true))));
    await shows(row(page, 'clicks'), 'Running');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('leaves the focus where it went while a threshold was saved', async () => {
    const gate = createGate();
    const { page } = await open({
      observability: async (call) => {
        if (call.method === 'PUT') await gate.passed;
        return backend.observability(call);
      },
    });
    await signIn(page, right);
    const alert = row(page, 'Too many errors');
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(alert.getByRole('status'), 'Saving…');
    const start = row(page, 'views').getByRole('button', { name: 'Start' });
    await start.focus();

    gate.open();
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    expect(await alert.getByRole('form').count()).toBe(0);
    expect(await hasFocus(start)).toBe(true);
  });

  it('keeps what was typed where a change is refused', async () => {
    const { page } = await open({
      observability: (call) =>
        call.method === 'PUT'
          ? json({ message: 'the threshold is out of range' }, 422)
          : backend.observability(call),
    });
    await signIn(page, right);
    const alert = row(page, 'Too many errors');
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    const field = alert.getByLabel('Threshold', { exact: true });
    await field.fill('-1');
    await alert.getByRole('button', { name: 'Save' }).click();
    await says(alert, 'the threshold is out of range');
    expect(await field.inputValue()).toBe('-1');
    await shows(alert, 'Above 5 for 5 minutes');
  });
});
