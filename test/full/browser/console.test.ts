import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  hasFocus,
  right,
  shows,
  useConsole,
} from '../../support/browser/console.ts';
import { read } from '../../support/docs/pages.ts';
import { run, until } from '../../support/process/run-main.ts';

const { organizationId, services, pipes } = world.management.main;
const { alerts, dashboards } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const pipesIn = (service: string): string => `${organization}/services/${service}/pipes`;
const latency = `/api/v2/alerts/${alerts.latency}`;

const firstPage = [
  'GET /v1/organizations',
  `GET ${organization}/services`,
  ...Object.values(services).map((id) => `GET ${pipesIn(id)}`),
  'GET /api/v2/dashboards',
  'GET /api/v2/alerts',
  // An alert names a dashboard that the list lacks.
  `GET /api/v2/dashboards/${dashboards.gone}`,
];

describeInBrowser('the console on the sandbox', () => {
  const { openSandbox, folder } = useConsole();

  it('signs in, stops a pipe, starts it, changes an alert and signs out, by the keyboard alone', async () => {
    const opened = await openSandbox();
    const { page, row, button, field, half, offered, tabTo, settle } = opened;
    const { keyboard } = page;
    const keyId = field('Key id');
    await expectAccessible(page, 'sign-in');
    // Whoever opens the page begins at its top.
    expect(await hasFocus(page.locator('body'))).toBe(true);
    await tabTo(keyId);
    await keyboard.type(right.keyId);
    await keyboard.press('Tab');
    await keyboard.type(right.keySecret);
    await keyboard.press('Tab');
    await keyboard.type(right.token);
    await keyboard.press('Enter');
    const pipe = row('clickstream');
    await shows(pipe, 'Running');
    await expectAccessible(page, 'signed-in');
    expect(await hasFocus(page.getByRole('main'))).toBe(true);
    expect(await offered('clickstream')).toEqual(['Stop clickstream']);
    expect(await offered('clickstream (staging)')).toEqual(['Start clickstream (staging)']);
    expect(await offered('crm')).toEqual(['Resync crm', 'Start crm']);

    const stop = button('Stop', pipe);
    await tabTo(stop);
    await keyboard.press('Enter');
    // The question begins with the answer that changes nothing.
    const dialog = page.getByRole('dialog', { name: 'Stop clickstream?' });
    expect(await hasFocus(button('Cancel', dialog))).toBe(true);
    await keyboard.press('Escape');
    expect([await dialog.count(), await hasFocus(stop)]).toEqual([0, true]);
    await keyboard.press('Enter');
    await tabTo(button('Stop pipe', dialog));
    await keyboard.press('Enter');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await shows(pipe, 'Stopping');
    // The button is gone, and the row has the focus.
    expect(await hasFocus(pipe)).toBe(true);
    settle();
    await shows(pipe, 'Stopped');
    await tabTo(button('Start', pipe));
    await keyboard.press('Space');
    await shows(pipe, 'Provisioning');
    settle();
    await shows(pipe, 'Running');

    const alert = row('Consumer lag');
    const opener = button('Change threshold', alert);
    await tabTo(opener);
    await keyboard.press('Enter');
    // The value is selected, so typing replaces it.
    await keyboard.type('7');
    await keyboard.press('Escape');
    expect([await alert.getByRole('form').count(), await hasFocus(opener)]).toEqual([0, true]);
    await shows(alert, 'Above 100,000 for 30 minutes');
    await keyboard.press('Enter');
    await keyboard.type('0.5');
    await alert.getByLabel('Fires').selectOption('below');
    await tabTo(button('Save', alert));
    await keyboard.press('Enter');
    await shows(alert, 'Below 0.5 for 30 minutes');
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    const changes = opened.stack.calls.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT']);

    await tabTo(button('1 pipe failed'));
    await keyboard.press('Enter');
    await pipe.waitFor({ state: 'detached' });
    await tabTo(button('Start', row('clickstream (staging)')));
    await keyboard.press('Enter');
    await row('clickstream (staging)').waitFor({ state: 'detached' });
    expect(await hasFocus(half('Pipes'))).toBe(true);
    await tabTo(button('Sign out'));
    await keyboard.press('Enter');
    await keyId.waitFor();
    expect(await hasFocus(keyId)).toBe(true);
    const { complaints, elsewhere } = opened;
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it('takes few calls: of the first page, of a command, of one that is refused, of a threshold', async () => {
    const { page, stack, row, button, signIn, stop, says } = await openSandbox({ reads: 'never' });
    const callsOf = (...calls: readonly string[]) =>
      expect.poll(() => stack.callList()).toEqual([...calls].sort());
    await signIn(right);
    await shows(row('clickstream'), 'Running');
    await shows(row('API latency'), 'Above 800 for 15 minutes');
    await callsOf(...firstPage);

    await stop('clickstream');
    await shows(row('clickstream'), 'Stopping');
    // The gateway reads what the command has changed, for all who follow it.
    const list = pipesIn(services.production);
    const command = `PATCH ${list}/${pipes.clickstream}/state`;
    await callsOf(...firstPage, command, `GET ${list}`);
    const management = stack.calls.filter(({ upstream }) => upstream === 'management');
    expect(management.length).toBeLessThanOrEqual(10);

    // Somebody else starts it, past this gateway.
    const crm = `${pipesIn(services.trial)}/${pipes.crm}`;
    await fetch(`${stack.sandbox.managementUrl}${crm}/state`, {
      method: 'PATCH',
      headers: {
        authorization: credentials.management.admin.header,
        'content-type': 'application/json',
      },
      body: '{"command":"start"}',
    });
    stack.calls.length = 0;
    await button('Start', row('crm')).click();
    const alert = await says('tart is allowed in state Stopped or Failed', row('crm'));
    await shows(row('crm'), 'Provisioning');
    await callsOf(`GET ${pipesIn(services.trial)}`, `GET ${crm}`, `PATCH ${crm}/state`);
    await expectAccessible(page, 'refused');
    await button('Dismiss', alert).click();
    expect(await row('crm').getByRole('alert').count()).toBe(0);

    stack.calls.length = 0;
    await button('Change threshold', row('API latency')).click();
    await row('API latency').getByLabel('Threshold', { exact: true }).fill('900');
    await button('Save', row('API latency')).click();
    await shows(row('API latency'), 'Above 900 for 15 minutes');
    await callsOf('GET /api/v2/alerts', `GET ${latency}`, `PUT ${latency}`);
  });

  it('says when an alert fires and what it watches, the firing ones first', async () => {
    const { row, half, signIn } = await openSandbox();
    await signIn({ token: right.token });
    await row('API error rate').waitFor();
    const texts = await half('Alerts').locator('article').allInnerTexts();
    const lines = texts.map((text) => text.split('\n').map((line) => line.trim()));
    expect(lines.map((line) => line.filter(Boolean).slice(0, 3))).toEqual([
      ['API error rate', 'Above 0.02 for 5 minutes · API health › Error rate', 'Firing'],
      ['Consumer lag', 'Above 100,000 for 30 minutes · Ingestion › Consumer lag', 'Firing'],
      ['Quiet night', 'Below 1,000,000 for 12 hours · Ingestion › Rows per minute', 'No data'],
      ['Old landing page', 'Below 1 for 1 day · Deleted dashboard', 'Unknown'],
      ['Failed inserts', 'Above 0 for 1 hour · Ingestion › Failed inserts', 'Unknown'],
      ['Failed payments', 'Above 0.05 for 5 minutes · Checkout › Failed payments', 'Pending'],
      ['API latency', 'Above 800 for 15 minutes · API health › Latency, 95th percentile', 'OK'],
      ['Traffic has stopped', 'Below 10 for 1 minute · API health › Requests by route', 'OK'],
      ['Out of memory', 'Above 1 for 6 hours · Saved search', 'OK'],
      ['Alert on Orders', 'Below 100 for 1 day · Checkout › Orders', 'Disabled'],
    ]);
  });

  it('tells which credential is wrong or fails, and leaves the other half working', async () => {
    const { page, row, half, button, field, signIn, says, complaints } = await openSandbox();
    await signIn({ ...right, keySecret: 'wrong', token: 'wrong' });
    await says('The management key was refused: ');
    await says('The observability token was refused: ');
    expect(await hasFocus(field('Key id'))).toBe(true);
    await expectAccessible(page, 'both-refused');
    await signIn({ ...right, keySecret: 'wrong' });
    await says('The management key was refused: ', half('Pipes'));
    await shows(row('API latency'), 'Above 800 for 15 minutes');
    await button('Enter another', half('Pipes')).click();
    expect(await field('Key id').getAttribute('aria-invalid')).toBe('true');
    await signIn({ token: right.token });
    await shows(half('Pipes'), /^Pipes need the management key\./);
    await button('Enter it').click();
    expect(await hasFocus(field('Key id'))).toBe(true);
    const wait = 'an API key may make 10 requests in 10 seconds. Try again in 30 s.';
    for (const [name, said] of [
      ['demo-500', 'management answered'],
      ['demo-cut', 'management broke off before it had answered'],
      ['demo-429', wait],
    ] as const) {
      await signIn({ keyId: name, keySecret: name, token: right.token });
      await says(said, half('Pipes'));
      await shows(row('API latency'), 'OK');
      await button('Sign out').click();
    }
    await signIn({ ...right, token: 'wrong' });
    await says('The observability token was refused: ', half('Alerts'));
    await shows(row('clickstream'), 'Running');
    expect(complaints).toEqual([]);
  });

  it('keeps no credential: not in the browser, not over a reload, not in what is built', async () => {
    const { page, row, field, button, signIn } = await openSandbox();
    expect(await page.locator('input:not([autocomplete="off"])').count()).toBe(0);
    await signIn(right);
    await shows(row('clickstream'), 'Running');
    const kept = await page.evaluate(() => [
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
    ]);
    expect(kept).toEqual([{}, {}, '']);
    expect(page.url()).not.toContain('demo');
    const expectEmpty = async () => {
      for (const name of ['Key id', 'Key secret', 'Token']) {
        expect(await field(name).inputValue()).toBe('');
      }
    };
    await button('Sign out').click();
    await expectEmpty();
    await page.reload();
    await expectEmpty();
    const entries = await readdir(folder(), { recursive: true, withFileTypes: true });
    const files = entries.filter((file) => file.isFile());
    const paths = files.map((file) => join(file.parentPath, file.name));
    const text = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('');
    expect(text).toContain('Key secret');
    for (const value of Object.values(right)) expect(text).not.toContain(value);
  });
});

/** Nothing but what npm has to say of its own settings. */
const fromNpm = expect.stringMatching(/^(npm .*\n)*$/);
const [, , start = ''] = JSON.parse(read('package.json')).scripts.console.split(' && ');

describeInBrowser('npm run console', () => {
  it('starts the console on the sandbox, filled in, says which port is in use, and ends with Ctrl-C', async () => {
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', start]);
    await until(() => started.output.text.includes('Ctrl-C') || started.child.exitCode !== null);
    expect(started.output).toEqual({
      text: expect.stringContaining('console is on'),
      errors: fromNpm,
    });
    const [address = '', port = ''] =
      /http:\/\/127\.0\.0\.1:(\d+)\//.exec(started.output.text) ?? [];
    const { page, complaints, elsewhere } = await openPage(address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await shows(page.getByRole('article', { name: 'clickstream', exact: true }), 'Running');
    await shows(page.getByRole('article', { name: 'API latency' }), 'Above 800 for 15 minutes');
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    for (const [given, said] of [
      [port, `${port} is already in use: choose another, such as PORT=`],
      ['5173x', 'console: PORT must be a port from 0 to 65535, got "5173x"\n'],
    ] as const) {
      const second = run({ PORT: given }, [process.execPath, 'examples/console/start.ts']);
      const errors = expect.stringContaining(said);
      expect(await second.ended).toMatchObject({ code: 1, errors });
    }
    started.signalGroup('SIGINT');
    expect(await started.ended).toMatchObject({ errors: fromNpm });
  });

  it('ends with SIGTERM to npm alone, which does not pass it on', async () => {
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', `true && ${start}`]);
    await until(() => started.output.text.includes('Ctrl-C'));
    started.child.kill('SIGTERM');
    // Comes once no process of it is left.
    expect(await started.ended).toMatchObject({ errors: fromNpm });
  });
});
