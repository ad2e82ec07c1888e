import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  answerInPlace,
  half,
  operationsOf,
  right,
  row,
  says,
  setVisible,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOn, createGate, pipesOf, smallWorld } from '../../support/browser/console-world.ts';
import { result } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);
const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];

/** How many seconds lie before each look at a pipe that does not settle. */
const pauses = [2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30];

/** What the gateway answers to a read of one pipe that fails. */
const failure = (message: string, extensions: object): object => ({
  data: { pipe: null },
  errors: [{ message, path: ['pipe'], extensions }],
});

describeInBrowser('after a command the console', () => {
  const open = consoleOn();

  /** A signed-in page whose first pipe was just stopped, and is in the state `now` at each look. */
  const stop = async (look: (found: object) => Promise<object> = async (found) => found) => {
    const now = { state: 'Running', gone: false, answered: Promise.resolve() };
    const opened = await open({
      management: async (call) => {
        if (call.method === 'PATCH') {
          await now.answered;
          now.state = call.body.includes('stop') ? 'Stopping' : 'Provisioning';
          return result({ ...clicks, state: now.state });
        }
        if (call.path !== pipesOf('service-1')) return backend.management(call);
        return result(now.gone ? [] : [{ ...clicks, state: now.state }]);
      },
    });
    const { page } = opened;
    /** The names of the pipe, of which each look finds another: a test sees which look was the last. */
    const looks: string[] = [];
    await answerInPlace(page, 'PipeNow', () => {
      const name = `clicks ${looks.length + 1}`;
      looks.push(name);
      const ids = { nodeId: 'p', id: 'p', organizationId: 'o', serviceId: 's' };
      return look({ data: { pipe: { ...ids, name, state: now.state, source: null } } });
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await shows(pipe, 'Running');
    await pipe.getByRole('button', { name: 'Stop' }).click();
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    const refresh = () => half(page, 'Databases').getByRole('button', { name: 'Refresh' }).click();
    return { ...opened, now, pipe, looks, refresh, operations: operationsOf(page) };
  };

  it('reads that pipe again with growing pauses, and at last leaves it to the person', async () => {
    const { page, pass, operations } = await stop();
    for (const [index, seconds] of pauses.entries()) {
      await pass(seconds - 0.1);
      expect(operations).toHaveLength(index);
      await pass(0.2);
      await shows(row(page, `clicks ${index + 1}`), 'Stopping');
    }
    const pipe = row(page, `clicks ${pauses.length}`);
    await shows(pipe.getByRole('status'), 'Still Stopping: Refresh shows what follows.');
    await pass(600);
    expect(operations).toEqual(pauses.map(() => 'PipeNow'));
  });

  it('reads no more once the state has settled', async () => {
    const { now, page, pass, operations } = await stop();
    await pass(2);
    await shows(row(page, 'clicks 1'), 'Stopping');
    now.state = 'Stopped';
    await pass(4);
    const pipe = row(page, 'clicks 2');
    await shows(pipe, 'Stopped');
    await shows(pipe.getByRole('status'), 'Now Stopped.');
    await pass(600);
    expect(operations).toEqual(['PipeNow', 'PipeNow']);
  });

  it('reads nothing while the page is hidden, and at once when it is seen again', async () => {
    const { now, page, pass, operations } = await stop();
    await setVisible(page, false);
    await pass(600);
    expect(operations).toEqual([]);
    now.state = 'Stopped';
    await setVisible(page, true);
    await shows(row(page, 'clicks 1'), 'Stopped');
    expect(operations).toEqual(['PipeNow']);
  });

  it('reads no pipe that is shown no more', async () => {
    const { now, pass, pipe, refresh, operations } = await stop();
    now.gone = true;
    await refresh();
    await pipe.waitFor({ state: 'detached' });
    await pass(600);
    expect(operations).toEqual(['Databases']);
  });

  it('reads no more where the whole half was read, and shows the end of it', async () => {
    const { now, pass, pipe, refresh, operations } = await stop();
    now.state = 'Stopped';
    await refresh();
    await shows(pipe, 'Stopped');
    expect(await pipe.getByRole('status').innerText()).toBe('');
    await pass(600);
    expect(operations).toEqual(['Databases']);
  });

  it('begins anew with another command, whatever a read under way brings', async () => {
    const gate = createGate();
    const { now, page, pass, pipe, looks } = await stop(async (found) => {
      if (looks.length === 1) await gate.passed;
      return found;
    });
    await pass(2);
    await expect.poll(() => looks).toHaveLength(1);

    const answer = Promise.withResolvers<void>();
    now.answered = answer.promise;
    await pipe.getByRole('button', { name: 'Stop' }).click();
    await shows(pipe.getByRole('status'), 'Sending…');
    gate.open();
    await pass(600);
    expect(looks).toHaveLength(1);
    answer.resolve();
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await pass(1.9);
    expect(looks).toHaveLength(1);
    await pass(0.2);
    await shows(row(page, 'clicks 2'), 'Stopping');
    await pass(3.9);
    expect(looks).toHaveLength(2);
  });

  it('waits for as long as a limit asks', async () => {
    const limited = { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 9 };
    const { page, pass, looks } = await stop(async (found) =>
      looks.length === 1 ? failure('management takes no further call now.', limited) : found,
    );
    const answered = page.waitForEvent('requestfinished');
    await pass(2);
    await answered;
    await pass(8.9);
    expect(looks).toHaveLength(1);
    // Later by as much as the page took to see the refusal.
    await expect.poll(() => pass(0.2).then(() => looks.length)).toBe(2);
    await shows(row(page, 'clicks 2'), 'Stopping');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says so where the pipe is gone, and reads no more', async () => {
    const { page, pass, pipe, refresh, operations } = await stop(async () =>
      failure('no such pipe', { code: 'NOT_FOUND', retryable: false }),
    );
    await pass(2);
    await says(pipe, 'no such pipe');
    await shows(pipe, 'Stopping');
    await pass(600);
    expect(operations).toEqual(['PipeNow']);
    await refresh();
    await pipe.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
