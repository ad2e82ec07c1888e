import { expect, it } from 'vitest';
import { cloud } from '../../profiles/rows.ts';
import { type Answer, data, json, paced, result } from '../../support/harness.ts';
import { numbers } from '../../support/world/worlds.ts';
import { describeInBrowser } from './chromium.ts';
import { clicks, failing, smallWorld, useConsole, worldOf } from './console.ts';

const advice = 'The change may have been made all the same';
const lost = 'No answer came from the gateway';

describeInBrowser('the console', () => {
  const { open } = useConsole();

  it('says what is being read, that a read takes long, and what has come', async () => {
    const { page, act } = await open();
    // The other half does not wait for it.
    await act(`
      hold /v1/; sign in; Alerts: status Live; Too many errors: see Above 5 for 5 minutes
      pass 0.9; Pipes: status Reading pipes…
      pass 0.2; Pipes: status Still reading pipes…; Alerts: status Live
      look at all
    `);
    // Assistive technology may hold back what is said in what is busy.
    expect(await page.locator('[aria-busy="true"] [role="status"]').count()).toBe(0);
    await act('answer /v1/; clicks: see Running; Pipes: status Live');
  });

  it.each([
    ['an organization without services', { Acme: {} }],
    ['a key that may see none', {}],
  ])('says where there is nothing: %s', async (_, organizations) => {
    const { act } = await open({ world: { ...worldOf(organizations), alerts: [] } });
    await act(
      'sign in; Pipes: see No pipes yet.; Alerts: see No alerts yet.; see Nothing needs attention.; no alert',
    );
  });

  it('shows what came beside what failed, and reads again when asked to', async () => {
    const alerts = smallWorld.alerts.map((alert) => ({ ...alert, threshold: 'a lot' }));
    const world = { ...smallWorld, alerts };
    const { placeOf, act, stack } = await open({ reads: 'never', world });
    await act(`
      answer service-2/pipes with 500 no
      sign in; clicks: see Running; Pipes: alert Pipes of spare: management answered
      Too many errors: alert The upstream sent a value for "threshold" that does not fit the schema.
      Too many errors: see Above an unknown threshold for 5 minutes; look at all
    `);
    // The services that cannot be read are no pipes.
    expect(await placeOf('Pipes').getByText('All (1)').count()).toBe(1);
    const id = placeOf('Pipes').getByRole('alert').locator('code');
    expect(stack.log()).toContain(await id.innerText());
    await act(`
      Needs attention: see Nothing needs attention in what could be read.
      Summary: see No pipe failed so far
      answer service-2/pipes; Pipes: press Try again; views: see Stopped; Pipes: focus .condition
    `);
  });

  it('keeps the rows of before where a later read fails, and says so', async () => {
    const { act } = await open();
    await act(`
      sign in; clicks: see Running; answer service-1/pipes with 400 no; answer /alerts with 400 no
      Pipes: alert The list shows what was read before.; clicks: see Running
      Alerts: alert no; Alerts: status Not up to date; Too many errors: see OK
      hold .; Alerts: press Try again; Alerts: status Reading alerts…; Too many errors: see OK
      Pipes: press Try again; Pipes: status Reading pipes…; clicks: see Running
      answer . with 503 no; Pipes: alert status 503; Pipes: status Not up to date; clicks: see Running
    `);
  });

  it('says what a key may not read, and what a limit kept back until it has come', async () => {
    const { page, act } = await open();
    await act(`
      answer /v1/ with 403 no
      sign in; Pipes: alert The management key is not allowed to read this: 
      answer /v1/; answer service-2/pipes with 429 no
    `);
    await page.reload();
    await act(`
      sign in but Token=; no alert
      Pipes: see A part waits for the rate limit, and will follow by itself.
      answer service-2/pipes; views: see Stopped; Pipes: status Live
    `);
    expect(await page.getByText('A part waits').count()).toBe(0);
  });

  it('says what needs attention as far as it has been read, keys and backups later', async () => {
    const { act, answer } = await open({ reads: 'never', config: cloud });
    answer('/clickpipes', result([]));
    // The page may begin to count the seconds only while the first of them pass.
    await act(`
      hold /keys; hold /backups; answer service-2/backups with 500 no
      sign in; Needs attention: see Nothing needs attention so far.; pass 2; pass 2
      Needs attention: status Still reading API keys and backups…; look at all
    `);
    const key = { id: 'k', name: 'Deploy', state: 'enabled', expireAt: '2020-01-01T00:00:00Z' };
    answer('/keys', result([key]));
    await act('Needs attention: rows Deploy; Needs attention: see Expired');
    answer('/backups', result([{ id: 'b', status: 'error' }]));
    await act('Needs attention: rows Deploy, main, new; Needs attention: alert Backups of spare: ');
    answer('/keys|/backups', result([]));
    await act(`
      Needs attention: press Try again; Needs attention: see Nothing needs attention.; no alert
      press Sign out; sign in but Token=
      Needs attention: see Nothing needs attention in what could be read.
    `);
  });

  it('reads keys and backups only once all pipes are read', async () => {
    const services = Object.fromEntries(numbers(30).map((number) => [`service ${number}`, []]));
    const managementRate = { calls: 20, windowMs: 1000 };
    const { act, answer, stack } = await open({
      ...{ world: worldOf({ Acme: services }), reads: 'never' },
      config: { ...cloud, ...paced, managementRate, pacingWaitMs: 300 },
    });
    answer('clickpipes|keys|backups', result([]));
    await act('sign in but Token=');
    const kinds = () => stack.calls.map(({ path }) => /pipes|keys|backups/.exec(path)?.[0]);
    await expect.poll(kinds).toContain('backups');
    expect(kinds().filter((kind) => kind === 'pipes')).toHaveLength(30);
    expect(kinds().lastIndexOf('pipes')).toBeLessThan(kinds().indexOf('keys'));
  });

  it('does not send what cannot be a credential', async () => {
    const { page, act, stack } = await open();
    for (const [given, name, fault] of [
      ['Token=', 'Key id', 'Enter a management key, an observability token, or both.'],
      ['Key secret=b', 'Key id', 'The key id is missing.'],
      ['Key id=a:b, Key secret=c', 'Key id', 'A key id cannot hold a colon.'],
      ['Key id=a, Token=t', 'Key secret', 'The key secret is missing.'],
      ['Token=tökén', 'Token', 'A token consists of ASCII letters, digits and signs.'],
    ] as const) {
      await act(`sign in with ${given}; alert ${fault}; focus ${name}`);
      const id = await page.getByLabel(name, { exact: true }).getAttribute('aria-describedby');
      expect(await page.locator(`[id="${id}"]`).innerText()).toBe(fault);
    }
    expect(stack.calls).toEqual([]);
  });

  it('shows what changed elsewhere, and goes on where one key is refused', async () => {
    const { act, answer } = await open();
    await act('sign in; Summary: see No pipe failed; Too many errors: see OK; streams 2');
    answer('/alerts', data([{ ...smallWorld.alerts[0], state: 'ALERT' }]));
    await act(`
      answer service-1/pipes with Failed; clicks: see Failed; Too many errors: see Firing
      Summary: see 1 pipe failed; Summary: see 1 alert firing; title (2) Sluice console
      answer /v1/ with 401 no such key; Pipes: alert The credential for management was refused: 
      answer /alerts; Too many errors: see OK; press Sign out; streams 0
    `);
  });

  it('leaves its streams once the page was hidden for a minute, and tells of lost connections', async () => {
    const { act, stack } = await open();
    await act(`
      sign in; clicks: see Running; Alerts: status Live; streams 2
      become hidden; pass 59; streams 2; pass 2; streams 0
      answer service-1/pipes with Failed; become visible; clicks: see Failed; disconnect
    `);
    stack.gateway.server.closeAllConnections();
    // The page's own server leaves the stream open: the client takes a minute's silence for the end of it.
    await act(`
      pass 61; clicks: see Failed
      Pipes: status Not up to date: connecting again…; Alerts: status Not up to date: connecting again…
    `);
    // The client's longest wait. Nothing has changed meanwhile, so that no event tells of the new connection.
    await act('reconnect; pass 30; Pipes: status Live; Alerts: status Live');
  });

  it.each<[string, Answer, string, number]>([
    ['forbidden', failing(403, 'the key is not for this'), 'the key is not for this', 1],
    ['not to be made out', json('?'), advice, 1],
    [
      'that the key is refused',
      failing(401, 'no'),
      'The credential for management was refused: ',
      1,
    ],
    ['odd in its values', result({ ...clicks, name: {}, state: 4 }), 'Stop was sent.', 0],
  ])('with a command whose answer is %s', async (_, instead, said, count) => {
    const { placeOf, act, answer } = await open();
    answer('PATCH', instead);
    await act('sign in; stop clicks');
    const place = placeOf(said.includes('refused') ? 'Pipes' : 'clicks');
    await place.getByText(said).waitFor();
    const alerts = await place.getByRole('alert').allInnerTexts();
    expect([alerts.length, alerts.join().includes(advice)]).toEqual([count, said === advice]);
  });

  it('with a command whose answer is lost says that it may have been made, and shows what follows', async () => {
    const { page, act } = await open();
    await act(`
      disconnect; sign in; Pipes: alert ${lost}; Pipes: status Nothing has been read yet
      reconnect; Pipes: press Try again; clicks: see Running
    `);
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation')) return route.continue();
      await act('answer service-1/pipes with Stopping');
      await route.fetch();
      return route.abort();
    });
    await act(`
      stop clicks; clicks: alert ${lost}.; clicks: alert ${advice}; clicks: see Stopping
      look at all
    `);
  });

  it('with a command under way takes no second one, keeps back no other, and shows it until the stream tells more', async () => {
    const { placeOf, act, answer, stack } = await open();
    await act(`
      hold service-1/pipes/pipe-1; sign in; stop clicks; clicks: status Sending…
      views: press Start; views: status Start was sent.
    `);
    const again = placeOf('clicks').getByRole('button', { name: 'Stop' });
    expect(await again.getAttribute('aria-disabled')).toBe('true');
    await again.click({ force: true });
    await act(`
      no dialog; pass 1; clicks: status Still sending…
      look at all
    `);
    answer('service-1/pipes/pipe-1', result({ ...clicks, state: 'Stopping' }));
    await act(`
      clicks: see Stopping; pass 29; clicks: see Stopping; clicks: status Stop was sent.
      pass 2; clicks: see Running; pass 5
    `);
    await expect.poll(() => placeOf('clicks').getByRole('status').innerText()).toBe('');
    expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });

  it('changes nothing of the next session when the answer to a command comes late', async () => {
    const { page, act } = await open();
    await act(`
      hold PATCH; sign in; stop clicks; clicks: status Sending…
      press Sign out; sign in; clicks: see Running
    `);
    const late = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('mutation StopPipe')),
    );
    await act('answer PATCH with 401 no such key');
    await (await late).finished();
    await page.evaluate(() => new Promise((resolve) => queueMicrotask(() => resolve(true))));
    await act('clicks: see Running; no alert');
  });

  it('leaves focus and text where they are while a threshold is saved, and refused', async () => {
    const { placeOf, act } = await open();
    await act(`
      hold PUT; sign in; Too many errors: press Change threshold
      Too many errors: fill Threshold=-1; Too many errors: press Save
      Too many errors: status Saving…
    `);
    await placeOf('views').getByRole('button', { name: 'Start' }).focus();
    await act(`
      answer PUT with 422 the threshold is out of range
      Too many errors: alert the threshold is out of range; views: focus Start
      Too many errors: value Threshold=-1; Too many errors: see Above 5 for 5 minutes
    `);
  });

  it('lists twelve pipes on one screen, says what each does, filters, sorts, and is of one organization', async () => {
    const states = 'Running Snapshot Stopping Paused InternalError Completed Napping'.split(' ');
    const servicesOf = (count: number) => ({
      main: numbers(count).map((index) => `main ${index} ${states[index % 7]}`),
      archive: numbers(count).map((index) => `archive ${index} ${states[(index + 1) % 7]}`),
    });
    const world = worldOf({ 'Organization 1': servicesOf(6), 'Organization 2': servicesOf(1) });
    const { page, placeOf, act } = await open({ world });
    await page.setViewportSize({ width: 1280, height: 800 });
    const sorted = ['archive', 'main'].flatMap((of) => numbers(6).map((index) => `${of} ${index}`));
    // What has failed comes first, until another order is chosen.
    const urgent = 'archive 3, main 4, archive 5, main 6, archive 1, main 2';
    await act(`
      sign in; main 6: see Napping
      Pipes: rows ${urgent}, archive 6, main 1, archive 2, main 3, archive 4, main 5
      choose Sort pipes=By service; Pipes: rows ${sorted.join(', ')}
    `);
    for (const name of sorted) {
      const { y, height } = (await placeOf(name).boundingBox()) ?? { y: 800, height: 0 };
      expect(y + height).toBeLessThanOrEqual(800);
    }
    await act('look at all');
    const words = ['Running\n', 'Changing\n', 'Stopped\n', 'Failed\n', '', 'Unknown\n'];
    for (const [index, word] of words.entries()) {
      const state = placeOf(`main ${index + 1}`).locator('.state');
      const given = states[index + 1];
      expect(await state.innerText()).toBe(`${word}${given}`);
      expect(await state.getAttribute('title')).toBe(`The service says "${given}"`);
    }
    await act(`
      press 2 pipes failed; Pipes: rows archive 3, main 4
      fill Filter pipes by name or service=ARCHIVE; Pipes: rows archive 3
      fill Filter pipes by name or service=no such; Pipes: see /^None of the pipes matches\\./
      press Show all; Pipes: rows 12
      choose Organization=Organization 2; Pipes: rows 2; main 1: buttons Stop main 1
    `);
  });

  it.each([
    ['shows how far a large fleet is read', { calls: 40, windowMs: 600_000 }],
    ['shows all of a large fleet when asked, once it has filled up', { calls: 20, windowMs: 1000 }],
  ])('%s', async (_, managementRate) => {
    const fleet = numbers(120).map((number) => [
      `service ${number}`,
      [`clicks ${number} Running`, `views ${number} Running`],
    ]);
    const world = worldOf({ Acme: Object.fromEntries(fleet) });
    const config = { ...paced, managementRate, pacingWaitMs: 300 };
    const { page, act } = await open({ world, config, reads: 'never' });
    // The second service sleeps, and the third and the fourth fail.
    await act(`
      answer service-2/pipes with 424 no; answer service-[34]/pipes with 500 no
      sign in but Token=; Pipes of service 3: see Not readable
      Pipes: alert Pipes of service 3 and service 4: 
      choose Show pipes=ASLEEP; Pipes of service 2: see Service not running; choose Show pipes=ALL
    `);
    const bar = page.getByRole('progressbar');
    if (managementRate.calls === 40) {
      await act(`
        Pipes: see /^\\d+ of 121 read, about .* more \\(rate limit\\)$/; Pipes: status Live, not complete yet
        fill Filter pipes by name or service=service 120; Pipes of service 120: see Not read yet
      `);
      expect(await bar.evaluate(({ max }: HTMLProgressElement) => max)).toBe(121);
      return;
    }
    await act('Pipes: status Live; Pipes: rows 50');
    expect(await bar.count()).toBe(0);
    await act('press Show 187 more; Pipes: rows 237; Pipes: focus');
  });
});
