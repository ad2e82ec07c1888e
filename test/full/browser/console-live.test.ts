import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  half,
  operationsOf,
  right,
  row,
  says,
  setVisible,
  shows,
  signIn,
  stopPipe,
} from '../../support/browser/console-page.ts';
import {
  consoleOn,
  createGate,
  firstPipe,
  pipesOf,
  smallWorld,
} from '../../support/browser/console-world.ts';
import { data, json, result } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);
const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];
const nothing = { streams: 0, reads: 0, credentials: 0 };

describeInBrowser('the console, live,', () => {
  const open = consoleOn();

  /** A signed-in page whose first pipe and only alert are as `now` says. */
  const follow = async (reads: 'soon' | 'never' = 'soon') => {
    const now = { pipe: 'Running', alert: 'OK', refused: false };
    const opened = await open({
      reads,
      management: (call) => {
        if (now.refused) return json({ status: 401, error: 'no such key', requestId: 'r-1' }, 401);
        const pipe = { ...clicks, state: now.pipe };
        if (call.path === firstPipe) return result(pipe);
        return call.path === pipesOf('service-1') ? result([pipe]) : backend.management(call);
      },
      observability: (call) =>
        call.method === 'GET' && call.path === '/api/v2/alerts'
          ? data(smallWorld.alerts.map((alert) => ({ ...alert, state: now.alert })))
          : backend.observability(call),
    });
    const operations = operationsOf(opened.page);
    await signIn(opened.page, right);
    await shows(row(opened.page, 'clicks'), 'Running');
    await shows(row(opened.page, 'Too many errors'), 'OK');
    return { ...opened, now, operations };
  };

  it('shows what changed elsewhere, in its row, the summary and the title', async () => {
    const { page, now, operations } = await follow();
    const summary = page.getByRole('status', { name: 'Summary' });
    await shows(summary, 'No pipe failed');
    await shows(summary, 'No alert firing');
    expect(await page.title()).toBe('Sluice console');
    now.pipe = 'Failed';
    now.alert = 'ALERT';
    await shows(row(page, 'clicks'), 'Failed');
    await shows(row(page, 'Too many errors'), 'Firing');
    await shows(summary, '1 pipe failed');
    await shows(summary, '1 alert firing');
    await expect.poll(() => page.title()).toBe('(2) Sluice console');
    // The page has asked for nothing anew.
    expect(operations.toSorted()).toEqual(['Alerts', 'Organizations', 'Pipes']);
  });

  it('takes two connections, and none after signing out', async () => {
    const { page, stack } = await follow();
    expect(stack.gateway.streams().streams).toBe(2);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => stack.gateway.streams()).toEqual(nothing);
  });

  it('closes them once the page was hidden for a minute, and opens them when it is seen', async () => {
    const { page, stack, pass, now } = await follow();
    await setVisible(page, false);
    await pass(59);
    expect(stack.gateway.streams().streams).toBe(2);
    await pass(2);
    await expect.poll(() => stack.gateway.streams()).toEqual(nothing);
    now.pipe = 'Failed';
    await setVisible(page, true);
    await shows(row(page, 'clicks'), 'Failed');
  });

  it('keeps what it shows while the connection is lost, and says so until it is back', async () => {
    const { page, stack, pass, now } = await follow();
    await page.route('**/graphql', (route) => route.abort());
    stack.gateway.server.closeAllConnections();
    // The page's own server leaves the stream open: the client takes a minute's silence for the end of it.
    await pass(61);
    for (const name of ['Pipes', 'Alerts'] as const) {
      await shows(half(page, name).getByRole('status'), 'Not up to date: connecting again…');
    }
    await shows(row(page, 'clicks'), 'Running');
    await page.unroute('**/graphql');
    // The client's longest wait. Nothing has changed meanwhile, so that no event tells of the new connection.
    await pass(30);
    for (const name of ['Pipes', 'Alerts'] as const) {
      await shows(half(page, name).getByRole('status'), 'Live');
    }
    now.pipe = 'Stopped';
    await shows(row(page, 'clicks'), 'Stopped');
  });

  it('says so where the key is refused later, and goes on with the other half', async () => {
    const { page, now } = await follow();
    now.refused = true;
    await says(half(page, 'Pipes'), 'The management key was refused: ');
    now.alert = 'ALERT';
    await shows(row(page, 'Too many errors'), 'Firing');
  });

  it('shows the answer to a command until the stream tells of it', async () => {
    const gate = createGate();
    const now = { state: 'Running', held: false };
    const { page, pass } = await open({
      management: async (call) => {
        if (call.method === 'PATCH') {
          now.held = true;
          return result({ ...clicks, state: 'Stopping' });
        }
        if (call.path !== pipesOf('service-1')) return backend.management(call);
        if (now.held) await gate.passed;
        return result([{ ...clicks, state: now.state }]);
      },
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await shows(pipe, 'Running');
    await stopPipe(page, 'clicks');
    await shows(pipe, 'Stopping');
    now.state = 'Stopped';
    gate.open();
    await shows(pipe, 'Stopped');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    // It is news for some seconds.
    await pass(11);
    await expect.poll(() => pipe.getByRole('status').innerText()).toBe('');
  });

  it('shows the stream again where that knows of no change for half a minute', async () => {
    const { page, pass } = await open({
      management: (call) =>
        call.method === 'PATCH'
          ? result({ ...clicks, state: 'Stopping' })
          : backend.management(call),
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await shows(pipe, 'Running');
    await stopPipe(page, 'clicks');
    await shows(pipe, 'Stopping');
    await pass(29);
    await shows(pipe, 'Stopping');
    await pass(2);
    await shows(pipe, 'Running');
  });
});
