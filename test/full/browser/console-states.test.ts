import { expect, it } from 'vitest';
import { cloud } from '../../profiles/rows.ts';
import { type Answer, data, json, paced, result } from '../../support/harness.ts';
import { numbers } from '../../support/world/worlds.ts';
import { describeInBrowser } from './chromium.ts';
import { act, clicks, clicksIn, failing, smallWorld, useConsole, worldOf } from './console.ts';

const advice = 'The change may have been made all the same';
const lost = 'No answer came from the gateway';
const refused = 'The credential for management was refused: ';
const withoutToken = { Token: '' };

describeInBrowser('the console', () => {
  const { open } = useConsole();

  it('says what is being read, that a read takes long, and what has come', async () => {
    const { page, pipes, alerts, row, signIn, hold, answer, pass, isAccessible } = await open();
    // The other half does not wait for it.
    await act(
      ...[hold('/v1/'), signIn(), alerts.status('Live')],
      ...[row('Too many errors').sees('Above 5 for 5 minutes'), pass(0.9)],
      ...[pipes.status('Reading pipes…'), pass(0.2), pipes.status('Still reading pipes…')],
      ...[alerts.status('Live'), isAccessible],
    );
    // Assistive technology may hold back what is said in what is busy.
    expect(await page.locator('[aria-busy="true"] [role="status"]').count()).toBe(0);
    await act(answer('/v1/'), row('clicks').sees('Running'), pipes.status('Live'));
  });

  it('says where there is nothing', async () => {
    const world = { ...worldOf({ Acme: {} }), alerts: [] };
    const { pipes, alerts, whole, signIn } = await open({ world });
    await act(
      ...[signIn(), pipes.sees('No pipes yet.'), alerts.sees('No alerts yet.')],
      ...[whole.sees('Nothing needs attention.'), whole.hasNo('alert')],
    );
  });

  it('shows what came beside what failed, and reads again when asked to', async () => {
    const odd = smallWorld.alerts.map((alert) => ({ ...alert, threshold: 'a lot' }));
    const world = { ...smallWorld, alerts: odd };
    const { pipes, row, summary, stack, answer, ...opened } = await open({ reads: 'never', world });
    const alert = row('Too many errors');
    await act(
      ...[answer('service-2/pipes', failing(500, 'no')), opened.signIn()],
      ...[row('clicks').sees('Running'), pipes.alert('Pipes of spare: management answered')],
      alert.alert('The upstream sent a value for "threshold" that does not fit the schema.'),
      ...[alert.sees('Above an unknown threshold for 5 minutes'), opened.isAccessible],
    );
    // The services that cannot be read are no pipes.
    expect(await pipes.at.getByText('All (1)').count()).toBe(1);
    const id = await pipes.at.getByRole('alert').locator('code').innerText();
    expect(stack.log()).toContain(id);
    await act(
      opened.attention.sees('Nothing needs attention in what could be read.'),
      ...[summary.sees('No pipe failed so far'), answer('service-2/pipes')],
      ...[pipes.press('Try again'), row('views').sees('Stopped')],
      pipes.hasFocus(pipes.at.locator('.condition')),
    );
  });

  it('keeps the rows of before where a later read fails, and says so', async () => {
    const { pipes, alerts, row, answer, hold, signIn } = await open();
    const [running, ok] = [row('clicks').sees('Running'), row('Too many errors').sees('OK')];
    await act(
      ...[signIn(), running, answer('service-1/pipes', failing(400, 'no'))],
      ...[pipes.alert('The list shows what was read before.'), running],
      ...[answer('/alerts', failing(400, 'no')), alerts.alert('no')],
      ...[alerts.status('Not up to date'), ok, hold('')],
      ...[alerts.press('Try again'), alerts.status('Reading alerts…'), ok],
      ...[pipes.press('Try again'), pipes.status('Reading pipes…'), running],
      ...[answer('', failing(503, 'no')), pipes.alert('status 503')],
      ...[pipes.status('Not up to date'), running],
    );
  });

  it('says what a key may not read, and what a limit kept back until it has come', async () => {
    const { page, pipes, whole, row, answer, signIn } = await open();
    await act(
      ...[answer('/v1/', failing(403, 'no')), signIn()],
      pipes.alert('The management key is not allowed to read this: '),
      ...[answer('/v1/'), answer('service-2/pipes', failing(429, 'no')), () => page.reload()],
      ...[signIn(withoutToken), whole.hasNo('alert')],
      pipes.sees('A part waits for the rate limit, and will follow by itself.'),
      ...[answer('service-2/pipes'), row('views').sees('Stopped'), pipes.status('Live')],
    );
    expect(await page.getByText('A part waits').count()).toBe(0);
  });

  it('says what needs attention as far as it has been read, keys and backups later', async () => {
    const { attention, whole, answer, ...opened } = await open({ reads: 'never', config: cloud });
    const { hold, signIn, pass } = opened;
    const key = { id: 'k', name: 'Deploy', state: 'enabled', expireAt: '2020-01-01T00:00:00Z' };
    const nothing = 'Nothing needs attention';
    // The page may begin to count the seconds only while the first of them pass.
    await act(
      ...[answer('/clickpipes', result([])), hold('/keys'), hold('/backups')],
      ...[answer('service-2/backups', failing(500, 'no')), signIn()],
      ...[attention.sees(`${nothing} so far.`), pass(2), pass(2)],
      ...[attention.status('Still reading API keys and backups…'), opened.isAccessible],
      ...[answer('/keys', result([key])), attention.hasRows(['Deploy']), attention.sees('Expired')],
      answer('/backups', result([{ id: 'b', status: 'error' }])),
      ...[attention.hasRows(['Deploy', 'main', 'new']), attention.alert('Backups of spare: ')],
      ...[answer('/keys', result([])), answer('backups', result([]))],
      ...[attention.press('Try again'), attention.sees(`${nothing}.`), whole.hasNo('alert')],
      ...[whole.press('Sign out'), signIn(withoutToken)],
      attention.sees(`${nothing} in what could be read.`),
    );
  });

  it('shows what changed elsewhere, and goes on where one key is refused', async () => {
    const { pipes, row, summary, whole, answer, signIn, streams, hasTitle } = await open();
    const alert = row('Too many errors');
    await act(
      ...[signIn(), summary.sees('No pipe failed'), alert.sees('OK'), streams(2)],
      answer('/alerts', data([{ ...smallWorld.alerts[0], state: 'ALERT' }])),
      ...[answer('service-1/pipes', clicksIn('Failed')), row('clicks').sees('Failed')],
      ...[alert.sees('Firing'), summary.sees('1 pipe failed'), summary.sees('1 alert firing')],
      ...[hasTitle('(2) Sluice console'), answer('/v1/', failing(401, 'no such key'))],
      ...[pipes.alert(refused), answer('/alerts'), alert.sees('OK')],
      ...[whole.press('Sign out'), streams(0)],
    );
  });

  it('leaves its streams once the page was hidden for a minute, and tells of lost connections', async () => {
    const { pipes, alerts, row, answer, pass, streams, become, ...opened } = await open();
    const halves = [pipes, alerts];
    await act(
      ...[opened.signIn(), row('clicks').sees('Running'), alerts.status('Live'), streams(2)],
      ...[become('hidden'), pass(59), streams(2), pass(2), streams(0)],
      ...[answer('service-1/pipes', clicksIn('Failed')), become('visible')],
      ...[row('clicks').sees('Failed'), opened.disconnect],
      () => opened.stack.gateway.server.closeAllConnections(),
      // The page's own server leaves the stream open: the client takes a minute's silence for the end of it.
      ...[pass(61), row('clicks').sees('Failed')],
      ...halves.map((half) => half.status('Not up to date: connecting again…')),
      // The client's longest wait. Nothing has changed meanwhile, so that no event tells of the new connection.
      ...[opened.reconnect, pass(30), ...halves.map((half) => half.status('Live'))],
    );
  });

  it.each<[string, Answer, 'Pipes' | 'its row', string]>([
    ['forbidden', failing(403, 'the key is not for this'), 'its row', 'the key is not for this'],
    ['not to be made out', json('?'), 'its row', advice],
    ['that the key is refused', failing(401, 'no'), 'Pipes', refused],
  ])('tells in one alert of a command whose answer is %s', async (_, instead, place, said) => {
    const { pipes, row, answer, signIn, stop } = await open();
    const { at, alert } = place === 'Pipes' ? pipes : row('clicks');
    await act(answer('PATCH', instead), signIn(), stop('clicks'), alert(said));
    const alerts = await at.getByRole('alert').allInnerTexts();
    expect([alerts.length, alerts.join().includes(advice)]).toEqual([1, said === advice]);
  });

  it('says of a command whose answer is lost that it may have been made, and shows what follows', async () => {
    const { page, pipes, row, answer, signIn, stop, ...opened } = await open();
    const pipe = row('clicks');
    await act(
      ...[
        opened.disconnect,
        signIn(),
        pipes.alert(lost),
        pipes.status('Nothing has been read yet'),
      ],
      ...[opened.reconnect, pipes.press('Try again'), pipe.sees('Running')],
    );
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation')) return route.continue();
      answer('service-1/pipes', clicksIn('Stopping'))();
      await route.fetch();
      return route.abort();
    });
    await act(
      ...[stop('clicks'), pipe.alert(`${lost}.`), pipe.alert(advice), pipe.sees('Stopping')],
      opened.isAccessible,
    );
  });

  it('takes no second command while one is under way, and shows its outcome until the stream tells more', async () => {
    const { row, whole, answer, stack, pass, ...opened } = await open();
    const pipe = row('clicks');
    await act(
      ...[opened.hold('service-1/pipes/pipe-1'), opened.signIn(), opened.stop('clicks')],
      ...[pipe.status('Sending…'), row('views').press('Start')],
      row('views').status('Start was sent.'),
    );
    const again = pipe.at.getByRole('button', { name: 'Stop' });
    expect(await again.getAttribute('aria-disabled')).toBe('true');
    await again.click({ force: true });
    await act(
      ...[whole.hasNo('dialog'), pass(1), pipe.status('Still sending…'), opened.isAccessible],
      answer('service-1/pipes/pipe-1', result({ ...clicks, state: 'Stopping' })),
      ...[pipe.sees('Stopping'), pass(29), pipe.sees('Stopping'), pipe.status('Stop was sent.')],
      ...[pass(2), pipe.sees('Running'), pass(5)],
    );
    await expect.poll(() => pipe.at.getByRole('status').innerText()).toBe('');
    expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });

  it('says what each pipe does, the failed ones first, filters, sorts, and is of one organization', async () => {
    const states = 'Running Snapshot Stopping Paused InternalError Completed Napping'.split(' ');
    const service = (name: string, count: number, from: number) =>
      Object.fromEntries(
        numbers(count).map((index) => [`${name} ${index}`, states[(index + from) % 7] ?? '']),
      );
    const { row, pipes, whole, signIn, isAccessible } = await open({
      world: worldOf({
        'Organization 1': { main: service('main', 6, 0), archive: service('archive', 6, 1) },
        'Organization 2': { main: service('main', 1, 0), archive: service('archive', 1, 1) },
      }),
    });
    const sorted = ['archive', 'main'].flatMap((of) => numbers(6).map((index) => `${of} ${index}`));
    const failed = ['archive 3', 'main 4'];
    const urgent = [...failed, 'archive 5', 'main 6', 'archive 1', 'main 2', 'archive 6', 'main 1'];
    await act(
      ...[signIn(), row('main 6').sees('Napping')],
      pipes.hasRows([...urgent, 'archive 2', 'main 3', 'archive 4', 'main 5']),
      ...[whole.choose('Sort pipes', 'By service'), pipes.hasRows(sorted), isAccessible],
    );
    const words = ['Running\n', 'Changing\n', 'Stopped\n', 'Failed\n', '', 'Unknown\n'];
    for (const [index, word] of words.entries()) {
      const state = row(`main ${index + 1}`).at.locator('.state');
      const given = states[index + 1];
      expect(await state.innerText()).toBe(`${word}${given}`);
      expect(await state.getAttribute('title')).toBe(`The service says "${given}"`);
    }
    const filter = 'Filter pipes by name or service';
    await act(
      ...[whole.press('2 pipes failed'), pipes.hasRows(failed)],
      ...[whole.fill(filter, 'ARCHIVE'), pipes.hasRows(failed.slice(0, 1))],
      ...[whole.fill(filter, 'no such'), pipes.sees(/^None of the pipes matches\./)],
      ...[whole.press('Show all'), pipes.countsRows(12)],
      ...[whole.choose('Organization', 'Organization 2'), pipes.countsRows(2)],
      row('main 1').hasButtons('Stop main 1'),
    );
  });

  it('shows how far a large fleet is read, and all of it when asked, once it has filled up', async () => {
    const services = numbers(120).map((number) => {
      const pipes = { [`clicks ${number}`]: 'Running', [`views ${number}`]: 'Running' };
      return [`service ${number}`, pipes];
    });
    const world = worldOf({ Acme: Object.fromEntries(services) });
    const managementRate = { calls: 20, windowMs: 1000 };
    const config = { ...paced, managementRate, pacingWaitMs: 300 };
    const { page, pipes, whole, row, answer, signIn } = await open({
      world,
      config,
      reads: 'never',
    });
    // The second service sleeps, and the third and the fourth fail.
    await act(
      answer('service-2/pipes', failing(424, 'no')),
      ...[3, 4].map((number) => answer(`service-${number}/pipes`, failing(500, 'no'))),
      ...[signIn(withoutToken), pipes.sees(/^\d+ of 121 read, about .* more \(rate limit\)$/)],
      ...[row('Pipes of service 3').sees('Not readable')],
      ...[pipes.alert('Pipes of service 3 and service 4: '), whole.choose('Show pipes', 'ASLEEP')],
      row('Pipes of service 2').sees('Service not running'),
      ...[whole.choose('Show pipes', 'ALL'), pipes.status('Live'), pipes.countsRows(50)],
    );
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await act(whole.press('Show 187 more'), pipes.countsRows(237), pipes.hasFocus());
  });
});
