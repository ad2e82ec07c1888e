import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { world } from '../../../sandbox/world/ids.ts';
import { read } from '../../support/docs/pages.ts';
import { run, until } from '../../support/process/run-main.ts';
import { describeInBrowser, openPage, root } from './chromium.ts';
import { createSteps, right, useConsole } from './console.ts';

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
];
/** An alert names a dashboard that is gone. It is read only if the list was sent before the alert had come. */
const gone = `GET /api/v2/dashboards/${dashboards.gone}`;

describeInBrowser('the console on the sandbox', () => {
  const { openSandbox, folder } = useConsole();

  it('signs in, stops a pipe, starts it, changes an alert and signs out, by the keyboard alone', async () => {
    const { act, stack, complaints, elsewhere } = await openSandbox();
    // A page that was opened begins at its top.
    await act(`
      look at all; focus body; tab to Key id
      type ${right['Key id']}; key Tab; type ${right['Key secret']}; key Tab; type ${right.Token}; key Enter
      clickstream: see Running; look at all; focus main; clickstream: buttons Stop clickstream
      Pipes: no group
      clickstream (staging): buttons Start clickstream (staging); crm: buttons Resync crm, Start crm
    `);
    // The question begins with the answer that changes nothing. The button is gone then, and the row has the focus.
    await act(`
      clickstream: tab to Stop; key Enter; Stop clickstream?: focus Cancel
      key Escape; no dialog; clickstream: focus Stop
      key Enter; Stop clickstream?: tab to Stop pipe; key Enter
      clickstream: status Stop was sent.; clickstream: see Stopping; clickstream: focus
      settle; clickstream: see Stopped; clickstream: tab to Start; key Space
      clickstream: see Provisioning; settle; clickstream: see Running
    `);
    // The value is selected, so typing replaces it.
    await act(`
      Consumer lag: tab to Change threshold; key Enter; type 7
      key Escape; Consumer lag: no form; Consumer lag: focus Change threshold
      Consumer lag: see Above 100,000 for 30 minutes; key Enter; type 0.5
      Consumer lag: choose Fires=below; Consumer lag: tab to Save; key Enter
      Consumer lag: see Below 0.5 for 30 minutes; Consumer lag: status The threshold is saved.
    `);
    const changes = stack.calls.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT']);
    await act(`
      tab to 1 pipe failed; key Enter; clickstream: gone
      clickstream (staging): tab to Start; key Enter; clickstream (staging): gone; Pipes: focus
      tab to Sign out; key Enter; see Key id; focus Key id
    `);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it('takes few calls: of the first page, of a command, of one that is refused, of a threshold', async () => {
    const { act, stack } = await openSandbox('never');
    const callsOf = (...calls: readonly string[]) =>
      expect
        .poll(() => stack.callList().filter((call) => call !== gone))
        .toEqual([...calls].sort());
    await act('sign in; clickstream: see Running; API latency: see Above 800 for 15 minutes');
    await callsOf(...firstPage);

    await act('stop clickstream; clickstream: see Stopping');
    // The gateway reads what the command has changed, for all who follow it.
    const list = pipesIn(services.production);
    const command = `PATCH ${list}/${pipes.clickstream}/state`;
    await callsOf(...firstPage, command, `GET ${list}`);
    const management = stack.calls.filter(({ upstream }) => upstream === 'management');
    expect(management.length).toBeLessThanOrEqual(10);

    // Somebody else starts it, past this gateway.
    const crm = `${pipesIn(services.trial)}/${pipes.crm}`;
    const authorization = credentials.management.admin.header;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = '{"command":"start"}';
    await fetch(`${stack.sandbox.managementUrl}${crm}/state`, { method: 'PATCH', headers, body });
    stack.calls.length = 0;
    await act(`
      crm: press Start; crm: alert tart is allowed in state Stopped or Failed
      crm: see Provisioning
    `);
    await callsOf(`GET ${pipesIn(services.trial)}`, `GET ${crm}`, `PATCH ${crm}/state`);
    await act('look at all; crm: press Dismiss; crm: no alert');

    stack.calls.length = 0;
    await act(`
      API latency: press Change threshold; API latency: fill Threshold=900
      API latency: press Save; API latency: see Above 900 for 15 minutes
    `);
    await callsOf('GET /api/v2/alerts', `GET ${latency}`, `PUT ${latency}`);
  });

  it('wakes, stops and starts a service where the gateway can, and says when a command fails', async () => {
    const { act } = await openSandbox('soon', 'live');
    await act(`
      sign in but Key id=demo-second-key, Key secret=demo-second-secret
      Pipes: see Services: 1 idle, 1 running; Pipes of metering archive: see Service not running
      tab to summary; key Enter; look at all
      metering archive: buttons Wake metering archive, Stop metering archive
      metering archive: press Wake; metering archive: status Wake was sent.
      metering archive: see awaking; settle; metering archive: see Running
      Pipes of metering archive: gone; disconnect; metering archive: press Stop; press Stop service
      metering archive: alert No answer came from the gateway.; metering archive: see Running
      reconnect; metering archive: press Stop; press Stop service; metering archive: see stopping
      settle; Pipes: see Services: 1 stopped, 1 running
      metering archive: press Start; metering archive: see starting; settle
      Pipes: see Services: 2 running; metering archive: no alert
    `);
  });

  it('lists what needs attention, the most urgent first, leads to its row, and reads keys and backups once', async () => {
    const { act, placeOf, stack } = await openSandbox('soon', 'live');
    await act(`
      sign in; Needs attention: press Show 5 more; Needs attention: rows 10; look at all
      choose Show pipes=RUNNING; clickstream (staging): gone
      Needs attention: press Show clickstream (staging); clickstream (staging): focus
      fill Filter alerts by name or dashboard=no such; API error rate: gone
      Needs attention: press Show API error rate; API error rate: focus
    `);
    const texts = await placeOf('Needs attention').getByRole('listitem').allInnerTexts();
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
    await act(`
      Needs attention: press Show reporting (read-only replica)
      reporting (read-only replica): focus; reporting (read-only replica): press Wake
      Needs attention: rows 9; settle; reporting (read-only replica): see Running
    `);
    const upkeep = stack.callList().filter((call) => /keys|backups/.test(call));
    expect(upkeep).toEqual(
      [
        ...Object.values(services).map((id) => `GET ${organization}/services/${id}/backups`),
        `GET ${organization}/keys`,
      ].sort(),
    );
  });

  it('says when an alert fires and what it watches, the firing ones first', async () => {
    const { act, placeOf } = await openSandbox();
    await act(`sign in with Token=${right.Token}; API error rate: see Firing`);
    const texts = await placeOf('Alerts').locator('article').allInnerTexts();
    const lines = texts.map((text) => text.split('\n').map((line) => line.trim()));
    expect(lines.map((line) => line.filter(Boolean).slice(0, 3))).toEqual([
      ['API error rate', 'Above 0.02 for 5 minutes · API health › Error rate', 'Firing'],
      ['Consumer lag', 'Above 100,000 for 30 minutes · Ingestion › Consumer lag', 'Firing'],
      ['Quiet night', 'Below 1,000,000 for 12 hours · Ingestion › Rows per minute', 'No data'],
      ['Old landing page', 'Below 1 for 1 day · Deleted dashboard', 'Inactive'],
      ['Failed inserts', 'Above 0 for 1 hour · Ingestion › Failed inserts', 'Active'],
      ['Failed payments', 'Above 0.05 for 5 minutes · Checkout › Failed payments', 'Pending'],
      ['API latency', 'Above 800 for 15 minutes · API health › Latency, 95th percentile', 'OK'],
      ['Traffic has stopped', 'Below 10 for 1 minute · API health › Requests by route', 'OK'],
      ['Out of memory', 'Above 1 for 6 hours · Saved search', 'OK'],
      ['Orders', 'Below 100 for 1 day · Checkout › Orders', 'Disabled'],
    ]);
  });

  it('tells which credential is wrong or fails, and leaves the other half working', async () => {
    const { page, act, complaints } = await openSandbox();
    await act(`
      sign in but Key secret=wrong, Token=wrong; alert The credential for management was refused: 
      alert The credential for observability was refused: ; focus Key id; look at all
      sign in but Key secret=wrong; Pipes: alert The credential for management was refused: 
      API latency: see Above 800 for 15 minutes; Pipes: press Enter another
    `);
    const keyId = page.getByLabel('Key id', { exact: true });
    expect(await keyId.getAttribute('aria-invalid')).toBe('true');
    await act(`
      sign in with Token=${right.Token}; Pipes: see /^Pipes need the management key\\./
      press Enter it; focus Key id
    `);
    const wait = 'an API key may make 10 requests in 10 seconds. Try again in 30 s.';
    for (const [name, said] of [
      ['demo-500', 'management answered'],
      ['demo-cut', 'management broke off before it had answered'],
      ['demo-429', wait],
    ] as const) {
      await act(`
        sign in but Key id=${name}, Key secret=${name}; Pipes: alert ${said}
        API latency: see OK; press Sign out
      `);
    }
    await act(`
      sign in but Key id=demo-503, Key secret=demo-503, Token=demo-503
      Pipes: alert status 503; Pipes: status Nothing has been read yet
      Alerts: alert status 503; Alerts: status Nothing has been read yet
      Needs attention: see Nothing has been read yet.
      look at all; press Sign out
      sign in but Token=wrong; Alerts: alert The credential for observability was refused
      clickstream: see Running
    `);
    expect(complaints).toEqual([]);
  });

  it('keeps no credential: not in the browser, not over a reload, not in what is built', async () => {
    const { page, act } = await openSandbox();
    expect(await page.locator('input:not([autocomplete="off"])').count()).toBe(0);
    await act('sign in; clickstream: see Running');
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    expect(await page.evaluate<string>(kept)).toBe('[{},{},""]');
    expect(page.url()).not.toContain('demo');
    const expectEmpty = async () => {
      for (const name of Object.keys(right)) {
        expect(await page.getByLabel(name, { exact: true }).inputValue()).toBe('');
      }
    };
    await act('press Sign out');
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
    const text = expect.stringContaining('console is on');
    expect(started.output).toEqual({ text, errors: fromNpm });
    const [address = '', port = ''] =
      /http:\/\/127\.0\.0\.1:(\d+)\//.exec(started.output.text) ?? [];
    const { page, complaints, elsewhere } = await openPage(address);
    await createSteps(page).act(`
      press Sign in; clickstream: see Running; API latency: see Above 800 for 15 minutes
      press Sign out; sign in with Token=demo-503; Alerts: see /^0 of 1 read, about \\d+ s more$/
    `);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    const script = 'examples/console/start.ts';
    for (const [given, args, said] of [
      [port, [], `${port} is already in use: choose another, such as PORT=`],
      ['5173x', [], 'console: PORT must be a port from 0 to 65535, got "5173x"\n'],
      ['0', ['--services', 'no'], 'console: invalid arguments: the options are --profile live'],
    ] as const) {
      const errors = expect.stringContaining(said);
      const ended = run({ PORT: given }, [process.execPath, script, ...args]).ended;
      expect(await ended).toMatchObject({ code: 1, errors });
    }
    started.signalGroup('SIGINT');
    expect(await started.ended).toMatchObject({ errors: fromNpm });
  });

  it('takes the arguments of the demo, keeps its users over a build of the client, and ends with SIGTERM to npm alone', async () => {
    // npm does not pass the signal on.
    const call = `true && ${start} --services 3 --profile live`;
    const started = run({ PORT: '0' }, ['npm', 'exec', '--call', call]);
    await until(() => started.output.text.includes('Ctrl-C'));
    const [address = ''] = /http:\S+/.exec(started.output.text) ?? [];
    const { page } = await openPage(address);
    const told: string[] = [];
    page.on('console', (message) => told.push(message.text()));
    await createSteps(page).act('press Sign in; see Tidewater Logistics; see /^Services: /');
    // As a build does, and then a change that the page follows.
    for (const path of ['client/dist/index.js', 'examples/console/src/console.css']) {
      await utimes(join(root, path), new Date(), new Date());
    }
    await until(() => told.length > 0);
    expect(told).toEqual(['[vite] hot updated: /src/console.css']);
    started.child.kill('SIGTERM');
    // Comes once no process of it is left.
    expect(await started.ended).toMatchObject({ errors: fromNpm });
  });
});
