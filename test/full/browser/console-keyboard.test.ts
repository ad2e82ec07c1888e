import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import { hasFocus, right, row, shows, signIn, tabTo } from '../../support/browser/console-page.ts';
import { consoleOnSandbox } from '../../support/browser/console-world.ts';

describeInBrowser('the console, by the keyboard alone', () => {
  const open = consoleOnSandbox();

  it('takes every step, and never loses the focus', async () => {
    const { page, settle } = await open();
    const { keyboard } = page;
    const keyId = page.getByLabel('Key id');
    // Whoever opens the page begins at its top.
    expect(await hasFocus(page.locator('body'))).toBe(true);
    await tabTo(page, keyId);
    await keyboard.type(right.keyId);
    await keyboard.press('Tab');
    await keyboard.type(right.keySecret);
    await keyboard.press('Tab');
    await keyboard.type(right.token);
    await keyboard.press('Enter');

    const pipe = row(page, 'clickstream');
    await shows(pipe, 'Running');
    expect(await hasFocus(page.getByRole('main'))).toBe(true);
    const stop = pipe.getByRole('button', { name: 'Stop' });
    await tabTo(page, stop);
    await keyboard.press('Enter');
    // The question begins with the answer that changes nothing.
    const dialog = page.getByRole('dialog', { name: 'Stop clickstream?' });
    expect(await hasFocus(dialog.getByRole('button', { name: 'Cancel' }))).toBe(true);
    await keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
    expect(await hasFocus(stop)).toBe(true);
    await keyboard.press('Enter');
    await tabTo(page, dialog.getByRole('button', { name: 'Stop pipe' }));
    await keyboard.press('Enter');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await shows(pipe, 'Stopping');
    // The button is gone, and the row has the focus.
    expect(await hasFocus(pipe)).toBe(true);
    settle();
    await shows(pipe, 'Stopped');
    expect(await hasFocus(pipe)).toBe(true);
    const start = pipe.getByRole('button', { name: 'Start' });
    await tabTo(page, start);
    await keyboard.press('Space');
    await shows(pipe, 'Provisioning');
    expect(await hasFocus(pipe)).toBe(true);

    const alert = row(page, 'Consumer lag');
    const opener = alert.getByRole('button', { name: 'Change threshold' });
    await tabTo(page, opener);
    await keyboard.press('Enter');
    await keyboard.type('7');
    await keyboard.press('Enter');
    await shows(alert, 'Above 7 for 30 minutes');
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    expect(await hasFocus(opener)).toBe(true);

    await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
    await keyboard.press('Enter');
    await keyId.waitFor();
    expect(await hasFocus(keyId)).toBe(true);
  });

  it('leaves an alert as it is when Escape is pressed, and goes back to the button', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, right);
    const alert = row(page, 'Consumer lag');
    await shows(alert, 'Above 100,000 for 30 minutes');
    stack.calls.length = 0;
    const opener = alert.getByRole('button', { name: 'Change threshold' });
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    // The value is selected, so typing replaces it.
    await page.keyboard.type('7');
    expect(await alert.getByLabel('Threshold', { exact: true }).inputValue()).toBe('7');
    await page.keyboard.press('Escape');
    expect(await alert.getByRole('form').count()).toBe(0);
    expect(await hasFocus(opener)).toBe(true);
    await shows(alert, 'Above 100,000 for 30 minutes');
    expect(stack.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('goes on with the credential that a half of the page lacks', async () => {
    const { page } = await open();
    const enter = page.getByRole('button', { name: 'Enter it' });
    await signIn(page, { keyId: right.keyId, keySecret: right.keySecret });
    await tabTo(page, enter);
    await page.keyboard.press('Enter');
    const token = page.getByLabel('Token');
    await token.waitFor();
    expect(await hasFocus(token)).toBe(true);

    await signIn(page, { token: right.token });
    await tabTo(page, enter);
    await page.keyboard.press('Enter');
    const keyId = page.getByLabel('Key id');
    await keyId.waitFor();
    expect(await hasFocus(keyId)).toBe(true);
  });

  it('filters and sorts, and goes on with the list where a row goes away', async () => {
    const { page } = await open();
    await signIn(page, right);
    const pipes = page.getByRole('region', { name: 'Pipes' });
    await shows(row(page, 'clickstream'), 'Running');
    await tabTo(page, page.getByRole('button', { name: '1 pipe failed' }));
    await page.keyboard.press('Enter');
    await row(page, 'clickstream').waitFor({ state: 'detached' });
    const failed = row(page, 'clickstream (staging)');
    const start = failed.getByRole('button', { name: 'Start' });
    await tabTo(page, start);
    await page.keyboard.press('Enter');
    await failed.waitFor({ state: 'detached' });
    expect(await hasFocus(pipes)).toBe(true);
    await tabTo(page, pipes.getByRole('button', { name: 'Show all' }));
    await page.keyboard.press('Space');
    await shows(failed, 'Provisioning');
    await tabTo(page, pipes.getByLabel('Sort pipes'));
    await page.keyboard.type('By name');
    await tabTo(page, pipes.getByLabel('Filter pipes by name or service'));
    await page.keyboard.type('crm');
    await row(page, 'clickstream').waitFor({ state: 'detached' });
    await shows(row(page, 'crm'), 'Stopped');
  });
});
