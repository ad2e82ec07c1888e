import { expect, it } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { half, hasFocus, right, row, says, shows, signIn } from './console-page.ts';
import { consoleOn, createGate, pipesOf, smallWorld } from './console-world.ts';
import { json, result } from './harness.ts';
import { createBackend } from './world-backend.ts';

const backend = createBackend(smallWorld);
const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];

describeInBrowser('the console, with more than one thing under way', () => {
  const open = consoleOn();

  it('does not let an older read undo what a command answered', async () => {
    const gate = createGate();
    const reads: string[] = [];
    const now = { state: 'Running' };
    const { page } = await open({
      management: async (call) => {
        if (call.method === 'PATCH') {
          now.state = 'Stopping';
          return result({ ...clicks, ...now });
        }
        if (call.path !== pipesOf('service-1')) return backend.management(call);
        const answer = result([{ ...clicks, ...now }]);
        reads.push(now.state);
        // The second read has seen the old state, and arrives late.
        if (reads.length === 2) await gate.passed;
        return answer;
      },
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await shows(pipe, 'Running');
    await half(page, 'Databases').getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => reads).toEqual(['Running', 'Running']);

    await pipe.getByRole('button', { name: 'Stop' }).click();
    await shows(pipe, 'Stopping');
    await shows(half(page, 'Databases').getByRole('status'), /^Read at /);
    gate.open();
    expect(reads).toEqual(['Running', 'Running', 'Stopping']);
    await shows(pipe, 'Stopping');
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
    await stop.click();
    await shows(pipe.getByRole('status'), 'Sending…');
    expect(await pipe.getAttribute('aria-busy')).toBe('true');
    expect(await stop.getAttribute('aria-disabled')).toBe('true');
    await stop.click({ force: true });
    await stop.press('Enter');
    // Other pipes are free.
    const other = row(page, 'views').getByRole('button', { name: 'Start' });
    expect(await other.getAttribute('aria-disabled')).toBe(null);

    gate.open();
    await shows(pipe.getByRole('status'), 'Stop was sent: the pipe is Running.');
    expect(await pipe.getAttribute('aria-busy')).toBe('false');
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
    await row(page, 'clicks').getByRole('button', { name: 'Stop' }).click();
    await shows(row(page, 'clicks').getByRole('status'), 'Sending…');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, right);
    await shows(row(page, 'clicks'), 'Running');

    const late = page.waitForResponse('**/graphql');
    gate.open();
    await (await late).finished();
    await half(page, 'Databases').getByRole('button', { name: 'Refresh' }).click();
    await shows(row(page, 'clicks'), 'Running');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
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
    await shows(alert, 'Fires above 5');
  });
});
