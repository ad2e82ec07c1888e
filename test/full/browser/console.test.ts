import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { read } from '../../support/docs/pages.ts';
import { run, until } from '../../support/process/run-main.ts';
import { describeInBrowser, openPage } from './chromium.ts';
import { act, consoleOn, right, useConsole } from './console.ts';

const { organizationId, services, pipes: ids } = world.management.main;
const { alerts: alertIds, dashboards } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const pipesIn = (service: string): string => `${organization}/services/${service}/pipes`;
const latency = `/api/v2/alerts/${alertIds.latency}`;

const firstPage = [
  'GET /v1/organizations',
  `GET ${organization}/services`,
  ...Object.values(services).map((id) => `GET ${pipesIn(id)}`),
  'GET /api/v2/dashboards',
  'GET /api/v2/alerts',
];
/** An alert names a dashboard that is gone. It is read only if the list was sent before the alert had come. */
const gone = `GET /api/v2/dashboards/${dashboards.gone}`;

describeInBrowser('the console on the sandbox', () => {
  const { openSandbox, folder } = useConsole();

  it('signs in, stops a pipe, starts it, changes an alert and signs out, by the keyboard alone', async () => {
    const { page, whole, pipes, dialog, row, key, type, settle, isAccessible, ...opened } =
      await openSandbox();
    const [pipe, staging, lag] = [
      row('clickstream'),
      row('clickstream (staging)'),
      row('Consumer lag'),
    ];
    // A page that was opened begins at its top.
    await act(
      ...[isAccessible, whole.hasFocus(page.locator('body')), whole.tabTo('Key id')],
      ...Object.values(right)
        .flatMap((text) => [type(text), key('Tab')])
        .slice(0, -1),
      ...[key('Enter'), pipe.sees('Running'), isAccessible, whole.hasFocus(page.locator('main'))],
      ...[pipe.hasButtons('Stop clickstream'), row('crm').hasButtons('Resync crm, Start crm')],
    );
    // The question begins with the answer that changes nothing. The button is gone then, and the row has the focus.
    await act(
      ...[pipe.tabTo('Stop'), key('Enter'), dialog.hasFocus('Cancel')],
      ...[key('Escape'), whole.hasNo('dialog'), pipe.hasFocus('Stop')],
      ...[key('Enter'), dialog.tabTo('Stop pipe'), key('Enter')],
      ...[pipe.status('Stop was sent.'), pipe.sees('Stopping'), pipe.hasFocus()],
      ...[settle, pipe.sees('Stopped'), pipe.tabTo('Start'), key('Space')],
      ...[pipe.sees('Provisioning'), settle, pipe.sees('Running')],
    );
    // The value is selected, so typing replaces it.
    await act(
      ...[lag.tabTo('Change threshold'), key('Enter'), type('7')],
      ...[key('Escape'), lag.hasNo('form'), lag.hasFocus('Change threshold')],
      ...[lag.sees('Above 100,000 for 30 minutes'), key('Enter'), type('0.5')],
      ...[lag.choose('Fires', 'below'), lag.tabTo('Save'), key('Enter')],
      ...[lag.sees('Below 0.5 for 30 minutes'), lag.status('The threshold is saved.')],
    );
    const changes = opened.stack.calls.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT']);
    await act(
      ...[whole.tabTo('1 pipe failed'), key('Enter'), pipe.isGone],
      ...[staging.tabTo('Start'), key('Enter'), staging.isGone, pipes.hasFocus()],
      ...[whole.tabTo('Sign out'), key('Enter'), whole.sees('Key id'), whole.hasFocus('Key id')],
    );
    expect([opened.complaints, opened.elsewhere]).toEqual([[], []]);
  });

  it('takes few calls: of the first page, of a command, of a threshold', async () => {
    const { signIn, stop, row, stack } = await openSandbox('never');
    const callsOf = (...calls: readonly string[]) =>
      expect
        .poll(() => stack.callList().filter((call) => call !== gone))
        .toEqual([...calls].sort());
    const alert = row('API latency');
    await act(signIn(), row('clickstream').sees('Running'), alert.sees('Above 800 for 15 minutes'));
    await callsOf(...firstPage);
    stack.calls.length = 0;
    await act(stop('clickstream'), row('clickstream').sees('Stopping'));
    // The gateway reads what the command has changed, for all who follow it.
    const list = pipesIn(services.production);
    await callsOf(`PATCH ${list}/${ids.clickstream}/state`, `GET ${list}`);
    stack.calls.length = 0;
    await act(
      ...[alert.press('Change threshold'), alert.fill('Threshold', '900')],
      ...[alert.press('Save'), alert.sees('Above 900 for 15 minutes')],
    );
    await callsOf('GET /api/v2/alerts', `GET ${latency}`, `PUT ${latency}`);
  });

  it('wakes, stops and starts a service where the gateway can, and says when a command fails', async () => {
    const { whole, pipes, row, settle, page, ...opened } = await openSandbox('soon', 'live');
    const [service, asleep] = [row('metering archive'), row('Pipes of metering archive')];
    const second = { 'Key id': 'demo-second-key', 'Key secret': 'demo-second-secret' };
    const stop = [service.press('Stop'), whole.press('Stop service')];
    await act(
      ...[opened.signIn(second), pipes.sees('Services: 1 idle, 1 running')],
      ...[asleep.sees('Service not running'), whole.tabTo(page.locator('summary'))],
      ...[opened.key('Enter'), opened.isAccessible],
      service.hasButtons('Wake metering archive, Stop metering archive'),
      ...[service.press('Wake'), service.status('Wake was sent.'), service.sees('awaking')],
      ...[settle, service.sees('Running'), asleep.isGone, opened.disconnect, ...stop],
      ...[service.alert('No answer came from the gateway.'), service.sees('Running')],
      ...[opened.reconnect, ...stop, service.sees('stopping'), settle],
      ...[pipes.sees('Services: 1 stopped, 1 running'), service.press('Start')],
      ...[service.sees('starting'), settle, pipes.sees('Services: 2 running')],
      service.hasNo('alert'),
    );
  });

  it('lists what needs attention, the most urgent first, leads to its row, and reads keys and backups once', async () => {
    const { whole, attention, row, stack, ...opened } = await openSandbox('soon', 'live');
    const [pipe, alert] = [row('clickstream (staging)'), row('API error rate')];
    await act(
      ...[opened.signIn(), attention.press('Show 5 more'), attention.countsRows(10)],
      ...[opened.isAccessible, whole.choose('Show pipes', 'RUNNING'), pipe.isGone],
      ...[attention.press('Show clickstream (staging)'), pipe.hasFocus()],
      ...[whole.fill('Filter alerts by name or dashboard', 'no such'), alert.isGone],
      ...[attention.press('Show API error rate'), alert.hasFocus()],
    );
    const texts = await attention.at.getByRole('listitem').allInnerTexts();
    const lines = texts.map((text) => text.replaceAll(/\s+/g, ' '));
    expect(lines.map((line) => line.replace(/ Show.*| begun .*/, ''))).toEqual([
      'Firing API error rate Alert · Above 0.02 for 5 minutes · API health › Error rate',
      'Firing Failed inserts Alert · Above 0 for 1 hour · Ingestion › Failed inserts',
      'Failed clickstream (staging) Pipe · staging',
      'Expired Migration API key …Mg2b · expired 3 days ago',
      'Failed staging Last backup ·',
      'Degraded profiles (MongoDB) Pipe · staging',
      'Expires Terraform API key …Tf4q · expires in 5 days',
      'Idle reporting (read-only replica) Service · eu-central-1',
      'Silenced Consumer lag Alert · Above 100,000 for 30 minutes · Ingestion › Consumer lag',
      'Silenced Unusual number of slow queries Alert · Outside a range from 5 for 1 hour · Killed for its memory',
    ]);
    const upkeep = stack.callList().filter((call) => /keys|backups/.test(call));
    const backups = Object.values(services).map(
      (id) => `GET ${organization}/services/${id}/backups`,
    );
    expect(upkeep).toEqual([...backups, `GET ${organization}/keys`].sort());
  });

  it('tells which credential is wrong or fails, and leaves the other half working', async () => {
    const { page, whole, pipes, alerts, attention, row, signIn, ...opened } = await openSandbox();
    const refused = (of: string) => `The credential for ${of} was refused: `;
    await act(
      ...[signIn({ 'Key secret': 'wrong', Token: 'wrong' }), whole.alert(refused('management'))],
      ...[whole.alert(refused('observability')), whole.hasFocus('Key id'), opened.isAccessible],
      ...[signIn({ 'Key secret': 'wrong' }), pipes.alert(refused('management'))],
      ...[row('API latency').sees('Above 800 for 15 minutes'), pipes.press('Enter another')],
    );
    const keyId = page.getByLabel('Key id', { exact: true });
    expect(await keyId.getAttribute('aria-invalid')).toBe('true');
    const [nothing, failed] = ['Nothing has been read yet', 'demo-503'];
    await act(
      signIn({ 'Key id': '', 'Key secret': '' }),
      ...[pipes.sees(/^Pipes need the management key\./), whole.press('Enter it')],
      ...[
        whole.hasFocus('Key id'),
        signIn({ 'Key id': failed, 'Key secret': failed, Token: failed }),
      ],
      ...[pipes, alerts].flatMap((half) => [half.alert('status 503'), half.status(nothing)]),
      ...[attention.sees(`${nothing}.`), opened.isAccessible, whole.press('Sign out')],
      ...[signIn({ Token: 'wrong' }), alerts.alert('The credential for observability was refused')],
      row('clickstream').sees('Running'),
    );
    expect(opened.complaints).toEqual([]);
  });

  it('keeps no credential: not in the browser, not over a reload, not in what is built', async () => {
    const { page, whole, row, signIn } = await openSandbox();
    expect(await page.locator('input:not([autocomplete="off"])').count()).toBe(0);
    await act(signIn(), row('clickstream').sees('Running'));
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    expect(await page.evaluate<string>(kept)).toBe('[{},{},""]');
    expect(page.url()).not.toContain('demo');
    const empty = Object.keys(right).map((label) => whole.holds(label, ''));
    await act(whole.press('Sign out'), ...empty, () => page.reload(), ...empty);
    const entries = await readdir(folder(), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((f) => join(f.parentPath, f.name));
    const text = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('');
    expect(text).toContain('Key secret');
    for (const value of Object.values(right)) expect(text).not.toContain(value);
  });
});

/** Nothing but what npm has to say of its own settings. */
const fromNpm = expect.stringMatching(/^(npm .*\n)*$/);
const [, , start = ''] = JSON.parse(read('package.json')).scripts.console.split(' && ');

describeInBrowser('npm run console', () => {
  it('starts the console on the sandbox with the arguments of the demo, filled in, and ends with Ctrl-C', async () => {
    const call = `${start} --services 3 --profile live`;
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', call]);
    await until(() => started.output.text.includes('Ctrl-C') || started.child.exitCode !== null);
    const text = expect.stringContaining('console is on');
    expect(started.output).toEqual({ text, errors: fromNpm });
    const [address = '', port = ''] =
      /http:\/\/127\.0\.0\.1:(\d+)\//.exec(started.output.text) ?? [];
    const { page, complaints, elsewhere } = await openPage(address);
    const { whole } = consoleOn(page);
    await act(
      ...[whole.press('Sign in'), whole.sees('Tidewater Logistics'), whole.sees(/^Services: /)],
    );
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    for (const [given, args, said] of [
      [port, [], `${port} is already in use: choose another, such as PORT=`],
      ['5173x', [], 'console: PORT must be a port from 0 to 65535, got "5173x"\n'],
      ['0', ['--services', 'no'], 'console: invalid arguments: the options are --profile live'],
    ] as const) {
      const command = [process.execPath, 'examples/console/start.ts', ...args] as const;
      const errors = expect.stringContaining(said);
      expect(await run({ PORT: given }, command).ended).toMatchObject({ code: 1, errors });
    }
    started.signalGroup('SIGINT');
    // Comes once no process of it is left.
    expect(await started.ended).toMatchObject({ errors: fromNpm });
  });
});
