import { describe, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  firstPipe,
  hasFocus,
  organization,
  pipe,
  pipesOf,
  right,
  service,
  shows,
  smallWorld,
  useConsole,
  worldOf,
} from '../../support/browser/console.ts';
import { type Answer, type Answering, data, json, paced, result } from '../../support/harness.ts';
import { createBackend } from '../../support/world/backend.ts';
import { withIds } from '../../support/world/ids.ts';
import { numbers } from '../../support/world/worlds.ts';

const { management, observability } = createBackend(smallWorld);
const [clicks] = smallWorld.organizations[0]?.services[0]?.pipes ?? [];
const nothing = { streams: 0, reads: 0, credentials: 0 };
const advice = 'The change may have been made all the same';
const key = { keyId: right.keyId, keySecret: right.keySecret };

const failing = (status: number, error: string): Answer =>
  json({ status, error, message: error, requestId: 'r-1' }, status);

/** Answers calls of a method otherwise, once its gate is open; it is open where nobody asks for it. */
const answers = (well: Answering, method: string, answer: Answering) => {
  const gate = Promise.withResolvers<void>();
  const held: Answering = async (call) => {
    if (!call.method.startsWith(method)) return well(call);
    await gate.promise;
    return answer(call);
  };
  return { held, open: gate.resolve };
};

describeInBrowser('the console', () => {
  const { open } = useConsole();

  it('says what is being read, that a read takes long, and what has come', async () => {
    const gate = answers(management, '', management);
    const { page, half, row, signIn, pass } = await open({ management: gate.held });
    await signIn(right);
    const [first, other] = [half('Pipes').getByRole('status'), half('Alerts').getByRole('status')];
    // The other half does not wait for it.
    await shows(other, 'Live');
    await shows(row('Too many errors'), 'Above 5 for 5 minutes');
    await pass(0.9);
    await shows(first, 'Reading pipes…');
    await pass(0.2);
    await shows(first, 'Still reading: the limit is 10 calls in 10 seconds…');
    await shows(other, 'Live');
    // Assistive technology may hold back what is said in what is busy.
    expect(await page.locator('[aria-busy="true"] [role="status"]').count()).toBe(0);
    await expectAccessible(page, 'waiting');
    gate.open();
    await shows(row('clicks'), 'Running');
    await shows(first, 'Live');
  });

  it.each([
    ['an organization without services', [organization(1, 'Acme', [])]],
    ['a key that may see none', []],
  ])('says where there is nothing: %s', async (_, organizations) => {
    const world = { ...worldOf(...organizations), alerts: [] };
    const { page, half, signIn } = await open({ world });
    await signIn(right);
    await shows(half('Pipes'), 'No pipes yet.');
    await shows(half('Alerts'), 'No alerts yet.');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows what came beside what failed, and reads again when asked to', async () => {
    const state = { failing: true };
    const alerts = smallWorld.alerts.map((alert) => ({ ...alert, threshold: 'a lot' }));
    const { page, half, row, button, signIn, says, stack } = await open({
      reads: 'never',
      world: { ...smallWorld, alerts },
      management: (call) =>
        state.failing && call.path === pipesOf('service-2') ? failing(500, 'no') : management(call),
    });
    await signIn(right);
    await shows(row('clicks'), 'Running');
    const alert = await says('Pipes of spare: management answered', half('Pipes'));
    expect(stack.log()).toContain(await alert.locator('code').innerText());
    const odd = 'The upstream sent a value for "threshold" that does not fit the schema.';
    await says(odd, row('Too many errors'));
    await shows(row('Too many errors'), 'Above an unknown threshold for 5 minutes');
    await expectAccessible(page, 'in-part');
    state.failing = false;
    await button('Try again', alert).click();
    await shows(row('views'), 'Stopped');
    expect(await hasFocus(half('Pipes').locator('.condition'))).toBe(true);
  });

  it('says what a key may not read, and what a limit kept back until it has come', async () => {
    const state = { status: 403 };
    const { page, half, row, signIn, says } = await open({
      management: (call) =>
        state.status === 200 || (state.status === 429 && call.path !== pipesOf('service-2'))
          ? management(call)
          : { ...failing(state.status, 'no'), headers: { 'retry-after': '1' } },
    });
    await signIn(right);
    await says('The management key is not allowed to read this: ', half('Pipes'));
    state.status = 429;
    await page.reload();
    await signIn(key);
    const waiting = half('Pipes').getByText('A part waits for the limit of 10 calls in 10 seconds');
    await waiting.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    state.status = 200;
    await waiting.waitFor({ state: 'detached' });
    await shows(row('views'), 'Stopped');
  });

  it('does not send what cannot be a credential', async () => {
    const { page, field, signIn, says, stack } = await open();
    for (const [given, name, fault] of [
      [{}, 'Key id', 'Enter a management key, an observability token, or both.'],
      [{ keySecret: 'b' }, 'Key id', 'The key id is missing.'],
      [{ keyId: 'a:b', keySecret: 'c' }, 'Key id', 'A key id cannot hold a colon.'],
      [{ keyId: 'a', token: 't' }, 'Key secret', 'The key secret is missing.'],
      [{ token: 'tökén' }, 'Token', 'A token consists of ASCII letters, digits and signs.'],
    ] as const) {
      await signIn(given);
      await says(fault);
      expect(await hasFocus(field(name))).toBe(true);
      const id = await field(name).getAttribute('aria-describedby');
      expect(await page.locator(`[id="${id}"]`).innerText()).toBe(fault);
    }
    expect(stack.calls).toEqual([]);
  });

  describe('live', () => {
    /** A signed-in page whose first pipe and only alert are as `now` says. */
    const follow = async () => {
      const now = { pipe: 'Running', alert: 'OK', refused: false };
      const opened = await open({
        management: (call) => {
          const first = { ...clicks, state: now.pipe };
          if (now.refused) return failing(401, 'no such key');
          return call.path === pipesOf('service-1') ? result([first]) : management(call);
        },
        observability: (call) =>
          call.path === '/api/v2/alerts'
            ? data(smallWorld.alerts.map((alert) => ({ ...alert, state: now.alert })))
            : observability(call),
      });
      await opened.signIn(right);
      await shows(opened.row('clicks'), 'Running');
      await shows(opened.row('Too many errors'), 'OK');
      return { ...opened, now };
    };

    it('shows what changed elsewhere, and goes on where one key is refused', async () => {
      const { page, row, half, button, says, now, stack } = await follow();
      const summary = page.getByRole('status', { name: 'Summary' });
      await shows(summary, 'No pipe failed');
      expect(stack.gateway.streams().streams).toBe(2);
      now.pipe = 'Failed';
      now.alert = 'ALERT';
      await shows(row('clicks'), 'Failed');
      await shows(row('Too many errors'), 'Firing');
      await shows(summary, '1 pipe failed');
      await shows(summary, '1 alert firing');
      await expect.poll(() => page.title()).toBe('(2) Sluice console');
      now.refused = true;
      await says('The management key was refused: ', half('Pipes'));
      now.alert = 'OK';
      await shows(row('Too many errors'), 'OK');
      await button('Sign out').click();
      await expect.poll(() => stack.gateway.streams()).toEqual(nothing);
    });

    it('leaves its streams once the page was hidden for a minute, and tells of lost connections', async () => {
      const { page, row, half, pass, setVisible, now, stack } = await follow();
      await setVisible(false);
      await pass(59);
      expect(stack.gateway.streams().streams).toBe(2);
      await pass(2);
      await expect.poll(() => stack.gateway.streams()).toEqual(nothing);
      now.pipe = 'Failed';
      await setVisible(true);
      await shows(row('clicks'), 'Failed');

      await page.route('**/graphql', (route) => route.abort());
      stack.gateway.server.closeAllConnections();
      // The page's own server leaves the stream open: the client takes a minute's silence for the end of it.
      await pass(61);
      const conditions = [half('Pipes').getByRole('status'), half('Alerts').getByRole('status')];
      for (const each of conditions) await shows(each, 'Not up to date: connecting again…');
      await shows(row('clicks'), 'Failed');
      await page.unroute('**/graphql');
      // The client's longest wait. Nothing has changed meanwhile, so that no event tells of the new connection.
      await pass(30);
      for (const each of conditions) await shows(each, 'Live');
    });
  });

  describe('with a command', () => {
    it.each([
      ['forbidden', failing(403, 'the key is not for this'), 'the key is not for this'],
      ['not to be made out', json('?'), advice],
      ['that the key is refused', failing(401, 'no'), 'The management key was refused: '],
      ['odd in its values', result({ ...clicks, name: {}, state: 4 }), 'Stop was sent.'],
    ])('whose answer is %s', async (_, answer, said) => {
      const patched = answers(management, 'PATCH', () => answer);
      patched.open();
      const { half, row, signIn, stop } = await open({ management: patched.held });
      await signIn(right);
      await stop('clicks');
      const place = said.includes('refused') ? half('Pipes') : row('clicks');
      await place.getByText(said).waitFor();
      const alerts = await place.getByRole('alert').allInnerTexts();
      expect(alerts).toHaveLength(said === 'Stop was sent.' ? 0 : 1);
      expect(alerts.join().includes(advice)).toBe(said === advice);
    });

    it('whose answer is lost says that it may have been made, and shows what follows', async () => {
      const now = { state: 'Running' };
      const { page, row, half, button, signIn, stop, says } = await open({
        management: (call) => {
          const first = { ...clicks, ...now };
          if (call.method === 'PATCH') now.state = 'Stopping';
          if (call.path === pipesOf('service-1')) return result([first]);
          return call.path === firstPipe ? result(first) : management(call);
        },
      });
      await page.route('**/graphql', (route) => route.abort());
      await signIn(right);
      const alert = await says('No answer came from the gateway', half('Pipes'));
      await shows(half('Pipes').getByRole('status'), 'Not up to date');
      await page.unroute('**/graphql');
      await button('Try again', alert).click();
      await shows(row('clicks'), 'Running');
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('mutation')) return route.continue();
        await route.fetch();
        return route.abort();
      });
      await stop('clicks');
      const lost = await says('No answer came from the gateway.', row('clicks'));
      expect(await lost.innerText()).toContain(advice);
      await shows(row('clicks'), 'Stopping');
      await expectAccessible(page, 'lost-answer');
    });

    it('under way takes no second one, keeps back no other, and is shown until the stream tells more', async () => {
      const patched = answers(management, 'PATCH', (call) =>
        call.path.startsWith(firstPipe)
          ? result({ ...clicks, state: 'Stopping' })
          : management(call),
      );
      const { page, row, button, signIn, stop, pass, stack } = await open({
        management: (call) =>
          call.path.startsWith(firstPipe) ? patched.held(call) : management(call),
      });
      await signIn(right);
      const [slow, fast] = [row('clicks'), row('views')];
      await stop('clicks');
      await shows(slow.getByRole('status'), 'Sending…');
      await button('Start', fast).click();
      await shows(fast.getByRole('status'), 'Start was sent.');
      const again = button('Stop', slow);
      expect(await again.getAttribute('aria-disabled')).toBe('true');
      await again.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      await pass(1);
      await shows(slow.getByRole('status'), 'Still sending: the limit is 10 calls in 10 seconds…');
      await expectAccessible(page, 'sending');
      patched.open();
      await shows(slow.getByRole('status'), 'Stop was sent.');
      expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
      await shows(slow, 'Stopping');
      await pass(29);
      await shows(slow, 'Stopping');
      await expect.poll(() => slow.getByRole('status').innerText()).toBe('');
      await pass(2);
      await shows(slow, 'Running');
    });

    it('changes nothing of the next session when its answer comes late', async () => {
      const refused = answers(management, 'PATCH', () => failing(401, 'no such key'));
      const { page, row, button, signIn, stop } = await open({ management: refused.held });
      await signIn(right);
      await stop('clicks');
      await shows(row('clicks').getByRole('status'), 'Sending…');
      await button('Sign out').click();
      await signIn(right);
      await shows(row('clicks'), 'Running');
      const late = page.waitForResponse((response) =>
        Boolean(response.request().postData()?.includes('mutation StopPipe')),
      );
      refused.open();
      await (await late).finished();
      await page.evaluate(() => new Promise((resolve) => queueMicrotask(() => resolve(true))));
      await shows(row('clicks'), 'Running');
      expect(await page.getByRole('alert').count()).toBe(0);
    });
  });

  it('leaves focus and text where they are while a threshold is saved, and refused', async () => {
    const saved = answers(observability, 'PUT', () =>
      failing(422, 'the threshold is out of range'),
    );
    const { row, button, signIn, says } = await open({ observability: saved.held });
    await signIn(right);
    const alert = row('Too many errors');
    await button('Change threshold', alert).click();
    const field = alert.getByLabel('Threshold', { exact: true });
    await field.fill('-1');
    await button('Save', alert).click();
    await shows(alert.getByRole('status'), 'Saving…');
    const start = button('Start', row('views'));
    await start.focus();
    saved.open();
    await says('the threshold is out of range', alert);
    expect([await field.inputValue(), await hasFocus(start)]).toEqual(['-1', true]);
    await shows(alert, 'Above 5 for 5 minutes');
  });

  it('lists twelve pipes on one screen, says what each does, filters, sorts, and is of one organization', async () => {
    const states = [
      'Running',
      'Snapshot',
      'Stopping',
      'Paused',
      'InternalError',
      'Completed',
      'Napping',
    ];
    const pipes = (count: number, name: string, of: number) =>
      numbers(count).map((index) =>
        pipe(`${count}${of}${index}`, `${name} ${index}`, states[(index + of) % 7] ?? ''),
      );
    const servicesOf = (count: number) =>
      ['main', 'archive'].map((name, of) => service(count * 10 + of, name, pipes(count, name, of)));
    const world = worldOf(
      organization(1, 'Organization 1', servicesOf(6)),
      organization(2, 'Organization 2', servicesOf(1)),
    );
    const { page, row, half, field, button, offered, signIn } = await open({ world });
    const names = () => half('Pipes').locator('article strong').allInnerTexts();
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn(right);
    await row('main 6').waitFor();
    const rows = await half('Pipes').locator('article').all();
    const boxes = await Promise.all(rows.map((each) => each.boundingBox()));
    expect(boxes).toHaveLength(12);
    for (const box of boxes) expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    await expectAccessible(page, 'twelve');
    for (const [name, word, given] of [
      ['main 1', 'Running\n', 'Snapshot'],
      ['main 2', 'Changing\n', 'Stopping'],
      ['main 3', 'Stopped\n', 'Paused'],
      ['main 4', 'Failed\n', 'InternalError'],
      ['main 5', '', 'Completed'],
      ['main 6', 'Unknown\n', 'Napping'],
    ] as const) {
      const state = row(name).locator('.state');
      expect(await state.innerText()).toBe(word + given);
      expect(await state.getAttribute('title')).toBe(`The service says "${given}"`);
    }
    // By service at first.
    expect(await names()).toEqual(
      ['archive', 'main'].flatMap((of) => numbers(6).map((index) => `${of} ${index}`)),
    );
    await field('Sort pipes').selectOption('By state');
    expect((await names()).slice(0, 3)).toEqual(['archive 3', 'main 4', 'archive 5']);
    await button('2 pipes failed').click();
    expect(await names()).toEqual(['archive 3', 'main 4']);
    await field('Filter pipes by name or service').fill('ARCHIVE');
    expect(await names()).toEqual(['archive 3']);
    await field('Filter pipes by name or service').fill('no such');
    await shows(half('Pipes'), /^None of the pipes matches\./);
    await button('Show all').click();
    expect(await names()).toHaveLength(12);
    await field('Organization').selectOption('Organization 2');
    await expect.poll(names).toHaveLength(2);
    expect(await offered('main 1')).toEqual(['Stop main 1']);
  });

  it.each([
    ['shows how far a large fleet is read', { calls: 40, windowMs: 600_000 }],
    ['shows all of a large fleet when asked, once it has filled up', { calls: 20, windowMs: 1000 }],
  ])('%s', async (_, managementRate) => {
    const fleet = numbers(120).map((number) => {
      const pipes = ['clicks', 'views'].map((name, of) =>
        pipe(`${number}0${of}`, `${name} ${number}`, 'Running'),
      );
      return service(number, `service ${number}`, pipes);
    });
    const world = worldOf(organization(1, 'Acme', fleet));
    const well = createBackend(world).management;
    const { page, row, half, field, button, signIn, says } = await open({
      ...{ world, reads: 'never' },
      config: { ...paced, managementRate, pacingWaitMs: 300 },
      // The second service sleeps, and the third and the fourth fail.
      management: (call) => {
        const number = [2, 3, 4].find((each) =>
          call.path.endsWith(withIds(`/service-${each}/pipes`)),
        );
        return number === undefined ? well(call) : failing(number === 2 ? 424 : 500, 'no');
      },
    });
    await signIn(key);
    const condition = half('Pipes').getByRole('status').first();
    const rows = half('Pipes').getByRole('article');
    const bar = page.getByRole('progressbar');
    await shows(row('service 2'), 'Not running');
    await shows(row('service 3'), 'Not readable');
    await says('Pipes of service 3 and service 4: ', half('Pipes'));
    if (managementRate.calls === 40) {
      await shows(half('Pipes'), /^\d+ of 121 read, about .* more$/);
      await shows(condition, 'Live, not complete yet');
      expect(await bar.evaluate(({ max }: HTMLProgressElement) => max)).toBe(121);
      await field('Filter pipes by name or service').fill('service 120');
      await shows(row('service 120'), 'Not read yet');
      return;
    }
    await shows(condition, 'Live');
    expect([await bar.count(), await rows.count()]).toEqual([0, 50]);
    await button('Show 187 more').click();
    expect([await rows.count(), await hasFocus(half('Pipes'))]).toEqual([237, true]);
  });
});
