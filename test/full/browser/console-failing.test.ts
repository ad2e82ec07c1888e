import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  photographConsole,
  right,
  row,
  says,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOnSandbox } from '../../support/browser/console-world.ts';

describeInBrowser('the console with a credential of the sandbox that fails', () => {
  const open = consoleOnSandbox();

  it.each([
    ['demo-500', 'management answered'],
    ['demo-503', 'management'],
    ['demo-html', 'management'],
    ['demo-cut', 'management broke off before it had answered'],
    ['demo-429', 'an API key may make 10 requests in 10 seconds. Try again in 30 s.'],
  ])(
    'says what is wrong with %s, while the other half works',
    async (name, message) => {
      const { page } = await open();
      await signIn(page, { keyId: name, keySecret: name, token: right.token });
      await says(half(page, 'Pipes'), message);
      await shows(row(page, 'API latency'), 'OK');
      await expectAccessible(page);
      await photographConsole(page, `failing-${name}`);
    },
    60_000,
  );

  it('says so of a token too', async () => {
    const { page } = await open();
    await signIn(page, { ...right, token: 'demo-500' });
    const alert = await says(half(page, 'Alerts'), 'observability answered');
    expect(await alert.locator('code').count()).toBeGreaterThan(0);
    await shows(row(page, 'clickstream'), 'Running');
  });

  it('waits for a slow key', async () => {
    const { page } = await open({ reads: 'never' });
    await signIn(page, { keyId: 'demo-slow', keySecret: 'demo-slow' });
    await shows(row(page, 'clickstream'), 'Running');
    expect(await page.getByRole('alert').count()).toBe(0);
  }, 60_000);
});
