import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { read } from '../../support/docs/pages.ts';
import { json } from '../../support/harness.ts';
import { run, until } from '../../support/process/run-main.ts';
import { describeInBrowser, openPage } from './chromium.ts';
import { act, clicksIn, consoleOn, failing, right, type Step, useConsole } from './console.ts';

const { organizationId, services } = world.management.main;

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

  it('shows the alerts of all ClickStacks of an organization with one key, and changes one', async () => {
    const { alerts, row, ...opened } = await openSandbox('clickstack-cloud');
    const [lag, meters] = [row('Consumer lag'), row('Silent meters')];
    await act(
      ...[opened.signIn({ Token: '' }), meters.sees(/staging › Meters › Silent/)],
      row('Unusual number of slow queries').sees('Not between 5 and 500 for 1 hour'),
      ...[alerts.hasNo('alert'), opened.isAccessible],
      ...[lag.press('Change threshold'), lag.fill('Threshold', '7'), lag.press('Save')],
      ...[lag.sees('Above 7 for 30 minutes'), meters.sees('Above 50 for 1 hour')],
    );
    const [change] = opened.stack.callList().filter((each) => !each.startsWith('GET'));
    const stack = `/v1/organizations/${organizationId}/services/${services.production}/clickstack`;
    expect(change).toBe(`PUT ${stack}/alerts/${world.observability.main.alerts.lag}`);
    await act(
      ...[opened.whole.press('Sign out'), opened.signIn({ Token: 'a-token' })],
      ...[alerts.alert('observability'), row('clickstream').sees('Running')],
      ...[alerts.press('Enter another'), opened.signIn({ Token: '' }), meters.sees('OK')],
    );
    const mayNot = { 'Key id': 'demo-query-key', 'Key secret': 'demo-query-secret', Token: '' };
    await act(
      ...[opened.whole.press('Sign out'), opened.signIn(mayNot)],
      ...[alerts.alert('The key needs the permission'), alerts.status('Nothing has been read yet')],
      opened.whole.sees('1 pipe failed'),
    );
    for (const untrue of ['No alert firing', 'No alerts yet.'])
      expect(await opened.page.getByText(untrue).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it('tells which credential is wrong, and leaves the other half working', async () => {
    const { page, whole, pipes, row, signIn, isAccessible } = await openSandbox();
    const refused = (of: string) => `The credential for ${of} was refused: `;
    await act(
      ...[signIn({ 'Key secret': 'wrong', Token: 'wrong' }), whole.alert(refused('management'))],
      ...[whole.alert(refused('observability')), whole.hasFocus('Key id'), isAccessible],
      ...[signIn({ 'Key secret': 'wrong' }), pipes.alert(refused('management'))],
      ...[row('API latency').sees('Above 800 for 15 minutes'), pipes.press('Enter another')],
    );
    const keyId = page.getByLabel('Key id', { exact: true });
    expect(await keyId.getAttribute('aria-invalid')).toBe('true');
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

const advice = 'The change may have been made all the same';
type Opened = Awaited<ReturnType<ReturnType<typeof useConsole>['open']>>;

describeInBrowser('the console', () => {
  const { open } = useConsole();

  it.each<[title: string, steps: (opened: Opened) => readonly Step[]]>([
    [
      'what is being read, and that a read takes long',
      ({ pipes, alerts, row, hold, answer, signIn, pass, isAccessible }) => [
        ...[hold('/v1/'), signIn(), alerts.status('Live'), pass(0.9)],
        ...[pipes.status('Reading pipes…'), pass(0.2), pipes.status('Still reading pipes…')],
        ...[isAccessible, answer('/v1/'), row('clicks').sees('Running'), pipes.status('Live')],
      ],
    ],
    [
      'what came beside what failed, and the rest once it can be read',
      ({ pipes, row, answer, signIn, isAccessible }) => [
        ...[answer('service-2/pipes', failing(500, 'no')), signIn(), row('clicks').sees('Running')],
        ...[pipes.alert('Pipes of spare: management answered'), isAccessible],
        ...[answer('service-2/pipes'), row('views').sees('Stopped')],
      ],
    ],
    [
      'the rows of before where a later read fails',
      ({ pipes, row, answer, signIn }) => [
        ...[signIn(), row('clicks').sees('Running'), answer('service-1/pipes', failing(400, 'no'))],
        ...[pipes.alert('The list shows what was read before.'), row('clicks').sees('Running')],
      ],
    ],
    [
      'what changed elsewhere, also after the page was hidden and the connection lost',
      ({ pipes, row, answer, signIn, pass, streams, become, stack, disconnect, reconnect }) => [
        ...[signIn(), row('clicks').sees('Running'), streams(2)],
        ...[become('hidden'), pass(59), streams(2), pass(2), streams(0)],
        ...[answer('service-1/pipes', clicksIn('Failed')), become('visible')],
        ...[row('clicks').sees('Failed'), disconnect],
        () => stack.gateway.server.closeAllConnections(),
        // The page's own server leaves the stream open: the client takes a minute's silence for its end.
        ...[pass(61), pipes.status('Not up to date: connecting again…')],
        ...[reconnect, pass(30), pipes.status('Live')],
      ],
    ],
    [
      'in its row that a command is forbidden',
      ({ row, answer, signIn, stop }) => [
        ...[answer('PATCH', failing(403, 'the key is not for this')), signIn(), stop('clicks')],
        row('clicks').alert('the key is not for this'),
      ],
    ],
    [
      'of a command whose answer is lost that it may have been made',
      ({ row, answer, signIn, stop, isAccessible }) => [
        ...[answer('PATCH', json('?')), signIn(), stop('clicks'), row('clicks').alert(advice)],
        isAccessible,
      ],
    ],
  ])('the console shows %s', async (_, steps) => {
    const opened = await open();
    await act(...steps(opened));
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
