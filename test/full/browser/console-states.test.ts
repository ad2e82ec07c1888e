import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  hasFocus,
  heldBack,
  photographConsole,
  right,
  row,
  says,
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
import { json, result } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';

const backend = createBackend(smallWorld);
const emptyWorld = { organizations: [], dashboards: [], alerts: [] };
const emptyOrganization = {
  id: smallWorld.organizations[0]?.id ?? '',
  name: 'Acme',
  invitations: [],
  services: [],
};
const failure = json({ status: 500, error: 'something broke', requestId: 'r-1' }, 500);
const refusal = (status: 401 | 403) =>
  json({ status, error: 'the key is not for this', requestId: 'r-1' }, status);
const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];
const advice = 'The change may have been made all the same';

describeInBrowser('the console', () => {
  const open = consoleOn();

  it('says that it reads, and what is there once it has come', async () => {
    const gate = createGate();
    const { page } = await open({
      management: async (call) => {
        await gate.passed;
        return backend.management(call);
      },
    });
    await signIn(page, right);
    const pipes = half(page, 'Pipes');
    await shows(pipes.getByRole('status'), 'Reading pipes…');
    expect(await heldBack(page)).toBe(0);
    // The other half does not wait for it.
    await shows(row(page, 'Too many errors'), 'Above 5 for 5 minutes');
    await expectAccessible(page);

    gate.open();
    await shows(row(page, 'clicks'), 'Running');
    await shows(pipes.getByRole('status'), 'Live');
  });

  it('says where there is nothing', async () => {
    const { page } = await open({ world: { ...emptyWorld, organizations: [emptyOrganization] } });
    await signIn(page, right);
    await shows(half(page, 'Pipes'), 'No pipes yet.');
    await shows(half(page, 'Alerts'), 'No alerts yet.');
    await expectAccessible(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says so of a key that may see no organization too', async () => {
    const { page } = await open({ world: emptyWorld });
    await signIn(page, right);
    await shows(half(page, 'Pipes'), 'No pipes yet.');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows what came beside what failed, and reads again when asked to', async () => {
    const state = { failing: true };
    const { page, stack } = await open({
      reads: 'never',
      management: (call) =>
        state.failing && call.path === pipesOf('service-2') ? failure : backend.management(call),
    });
    await signIn(page, right);
    await shows(row(page, 'clicks'), 'Running');
    const pipes = half(page, 'Pipes');
    const alert = await says(pipes, 'Pipes of spare: management answered');
    const requestId = await alert.locator('code').innerText();
    expect(stack.log()).toContain(requestId);
    await expectAccessible(page);
    await photographConsole(page, 'in-part');

    state.failing = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await shows(row(page, 'views'), 'Stopped');
    expect(await pipes.getByRole('alert').count()).toBe(0);
    expect(await hasFocus(pipes.locator('.condition'))).toBe(true);
  });

  it('shows a value that failed with the thing it belongs to', async () => {
    const alerts = smallWorld.alerts.map((alert) => ({ ...alert, threshold: 'a lot' }));
    const { page } = await open({ world: { ...smallWorld, alerts } });
    await signIn(page, right);
    const alert = row(page, 'Too many errors');
    await says(alert, 'The upstream sent a value for "threshold" that does not fit the schema.');
    await shows(alert, 'Above an unknown threshold for 5 minutes');
    await shows(alert, 'OK');
  });

  it('needs one credential only, and says which one the other half lacks', async () => {
    const { page, stack } = await open({});
    await signIn(page, { keyId: right.keyId, keySecret: right.keySecret });
    await shows(row(page, 'clicks'), 'Running');
    const alerts = half(page, 'Alerts');
    await shows(alerts, /^Alerts need the observability token\./);
    expect(stack.calls.filter(({ upstream }) => upstream === 'observability')).toEqual([]);
    await expectAccessible(page);

    await alerts.getByRole('button', { name: 'Enter it' }).click();
    expect(await page.getByLabel('Key id').inputValue()).toBe(right.keyId);
    expect(await page.getByRole('alert').count()).toBe(0);
    await signIn(page, { token: right.token });
    await shows(row(page, 'Too many errors'), 'Above 5 for 5 minutes');
    await shows(half(page, 'Pipes'), /^Pipes need the management key\./);
  });

  it('says so where a key may not read anything', async () => {
    const { page } = await open({ management: () => refusal(403) });
    await signIn(page, right);
    await says(half(page, 'Pipes'), 'The management key is not allowed to read this: ');
    await shows(row(page, 'Too many errors'), 'OK');
  });

  it('stays where a key may not do one thing', async () => {
    const { page } = await open({
      management: (call) => (call.method === 'PATCH' ? refusal(403) : backend.management(call)),
    });
    await signIn(page, right);
    await stopPipe(page, 'clicks');
    const alert = await says(row(page, 'clicks'), 'the key is not for this');
    expect(await alert.innerText()).not.toContain(advice);
    await shows(row(page, 'clicks'), 'Running');
  });

  it('says so where a command finds the key refused', async () => {
    const { page } = await open({
      management: (call) => (call.method === 'PATCH' ? refusal(401) : backend.management(call)),
    });
    await signIn(page, right);
    await stopPipe(page, 'clicks');
    await says(half(page, 'Pipes'), 'The management key was refused: ');
  });

  it('says of a command whose answer is lost that it may have been carried out', async () => {
    const now = { state: 'Running' };
    const { page } = await open({
      management: (call) => {
        const pipe = { ...clicks, ...now };
        if (call.method === 'PATCH') now.state = 'Stopping';
        if (call.path === pipesOf('service-1')) return result([pipe]);
        return call.path === firstPipe ? result(pipe) : backend.management(call);
      },
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await shows(pipe, 'Running');
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation')) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await stopPipe(page, 'clicks');
    const alert = await says(pipe, 'No answer came from the gateway.');
    expect(await alert.innerText()).toContain(advice);
    await shows(pipe, 'Stopping');
    await expectAccessible(page);
    await photographConsole(page, 'lost-answer');
  });

  it('takes a command for carried out although a value in its answer does not fit', async () => {
    const { page } = await open({
      management: (call) =>
        call.method === 'PATCH'
          ? result({ ...clicks, name: {}, state: 4 })
          : backend.management(call),
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await stopPipe(page, 'clicks');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    expect(await pipe.getByRole('alert').count()).toBe(0);
  });

  it('says so where the answer to a command cannot be made out', async () => {
    const { page } = await open({
      management: (call) => (call.method === 'PATCH' ? json('?') : backend.management(call)),
    });
    await signIn(page, right);
    const pipe = row(page, 'clicks');
    await stopPipe(page, 'clicks');
    await says(pipe, advice);
    await shows(pipe, 'Running');
  });

  it('says so where the gateway cannot be reached at first, and tries again when asked to', async () => {
    const { page } = await open({});
    await page.route('**/graphql', (route) => route.abort());
    await signIn(page, right);
    const pipes = half(page, 'Pipes');
    const alert = await says(pipes, 'No answer came from the gateway');
    await shows(pipes.getByRole('status'), 'Not up to date');
    await expectAccessible(page);

    await page.unroute('**/graphql');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await shows(row(page, 'clicks'), 'Running');
  });

  it('does not send what cannot be a credential', async () => {
    const { page, stack } = await open({});
    const cases = [
      [{}, 'Key id', 'Enter a management key, an observability token, or both.'],
      [{ keySecret: 'b' }, 'Key id', 'The key id is missing.'],
      [{ keyId: 'a:b', keySecret: 'c' }, 'Key id', 'A key id cannot hold a colon.'],
      [{ keyId: 'a', token: 't' }, 'Key secret', 'The key secret is missing.'],
      [{ token: 'tökén' }, 'Token', 'A token consists of ASCII letters, digits and signs.'],
    ] as const;
    for (const [given, field, fault] of cases) {
      await signIn(page, given);
      await says(page, fault);
      const input = page.getByLabel(field);
      expect(await input.getAttribute('aria-invalid')).toBe('true');
      expect(await hasFocus(input)).toBe(true);
      const id = await input.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${id}"]`).innerText()).toBe(fault);
    }
    await expectAccessible(page);
    expect(stack.calls).toEqual([]);
  });
});
