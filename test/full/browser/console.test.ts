import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  hasFocus,
  keptByBrowser,
  offered,
  photographConsole,
  right,
  row,
  says,
  shows,
  signIn,
  stopPipe,
} from '../../support/browser/console-page.ts';
import { consoleOnSandbox } from '../../support/browser/console-world.ts';

describeInBrowser('the console on the sandbox', () => {
  const open = consoleOnSandbox();

  it('stops a pipe and starts it again, and shows by itself what follows', async () => {
    const { page, settle, complaints, elsewhere } = await open();
    await signIn(page, right);
    const pipe = row(page, 'clickstream');
    await shows(pipe, 'Running');
    await photographConsole(page, 'signed-in');

    await stopPipe(page, 'clickstream');
    await shows(pipe, 'Changing');
    await shows(pipe, 'Stopping');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await photographConsole(page, 'stopping');
    settle();
    await shows(pipe, 'Stopped');

    await pipe.getByRole('button', { name: 'Start' }).click();
    await shows(pipe, 'Provisioning');
    settle();
    await shows(pipe, 'Running');
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it('asks before it stops a pipe, and does nothing where the answer is no', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, right);
    const pipe = row(page, 'clickstream');
    const stop = pipe.getByRole('button', { name: 'Stop' });
    await stop.click();
    const dialog = page.getByRole('dialog', { name: 'Stop clickstream?' });
    await dialog.waitFor();
    await expectAccessible(page);
    await photographConsole(page, 'question');
    stack.calls.length = 0;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await dialog.count()).toBe(0);
    expect(await hasFocus(stop)).toBe(true);
    await shows(pipe, 'Running');

    await row(page, 'crm').getByRole('button', { name: 'Resync' }).click();
    await page.getByRole('dialog', { name: 'Resync crm?' }).waitFor();
    await page.keyboard.press('Escape');
    expect(stack.calls).toEqual([]);
  });

  it('offers each pipe the commands that are available, and no other', async () => {
    const { page, stack } = await open();
    await signIn(page, right);
    await shows(row(page, 'crm'), 'Stopped');
    expect(await offered(page, 'clickstream')).toEqual(['Stop clickstream']);
    expect(await offered(page, 'clickstream (staging)')).toEqual(['Start clickstream (staging)']);
    expect(await offered(page, 'crm')).toEqual(['Resync crm', 'Start crm']);

    await row(page, 'crm').getByRole('button', { name: 'Resync' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resync pipe' }).click();
    await shows(row(page, 'crm'), 'Resync');
    expect(await offered(page, 'crm')).toEqual(['Resync crm', 'Stop crm']);
    const sent = stack.calls.filter(({ method }) => method !== 'GET');
    expect(sent.map(({ method, body }) => ({ method, body }))).toEqual([
      { method: 'PATCH', body: '{"command":"resync"}' },
    ]);
  });

  it('says beside the button why a command was refused, until that is dismissed', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, right);
    const pipe = row(page, 'crm');
    await shows(pipe, 'Stopped');
    // Somebody else was faster, past this gateway.
    const { sandbox } = stack;
    const { organizationId, services, pipes } = sandbox.world.management.main;
    const path = `/v1/organizations/${organizationId}/services/${services.trial}/pipes/${pipes.crm}`;
    await fetch(`${sandbox.managementUrl}${path}/state`, {
      method: 'PATCH',
      headers: {
        authorization: credentials.management.admin.header,
        'content-type': 'application/json',
      },
      body: '{"command":"start"}',
    });

    await pipe.getByRole('button', { name: 'Start' }).click();
    const alert = await says(pipe, 'tart is allowed in state Stopped or Failed');
    // The page has read that pipe.
    await shows(pipe, 'Provisioning');
    await photographConsole(page, 'refused');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    expect(await pipe.getByRole('alert').count()).toBe(0);
  });

  it('changes the threshold of an alert, and it stays changed', async () => {
    const { page, stack, complaints } = await open();
    await signIn(page, right);
    const alert = row(page, 'API latency');
    await shows(alert, 'Above 800 for 15 minutes');
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    const threshold = alert.getByLabel('Threshold', { exact: true });
    expect(await hasFocus(threshold)).toBe(true);
    await expectAccessible(page);

    await threshold.fill('0.0005');
    await alert.getByLabel('Fires').selectOption('below');
    await photographConsole(page, 'threshold');
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(alert, 'Below 0.0005 for 15 minutes');
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    expect(await alert.getByRole('form').count()).toBe(0);
    expect(await hasFocus(alert.getByRole('button', { name: 'Change threshold' }))).toBe(true);
    expect(stack.calls.filter(({ method }) => method !== 'GET')).toHaveLength(1);

    await page.reload();
    await signIn(page, right);
    await shows(row(page, 'API latency'), 'Below 0.0005 for 15 minutes');
    // What the form has no field for is as it was.
    const { body } = await stack.query(
      '{ alerts(filter: { nameContains: "API latency" }) { interval message } }',
    );
    expect(body.data.alerts).toEqual([
      { interval: '15m', message: 'The 95th percentile is above 800 ms.' },
    ]);
    expect(complaints).toEqual([]);
  });

  it('leaves the other half working where one credential is wrong', async () => {
    const { page, complaints } = await open();
    await signIn(page, { ...right, keySecret: 'wrong' });
    await says(half(page, 'Pipes'), 'The management key was refused: ');
    await shows(row(page, 'API latency'), 'Above 800 for 15 minutes');
    await expectAccessible(page);
    await photographConsole(page, 'one-refused');
    await half(page, 'Pipes').getByRole('button', { name: 'Enter another' }).click();
    const keyId = page.getByLabel('Key id');
    expect(await hasFocus(keyId)).toBe(true);
    expect(await keyId.getAttribute('aria-invalid')).toBe('true');
    expect(await keyId.inputValue()).toBe(right.keyId);

    await signIn(page, { ...right, token: 'wrong' });
    await says(half(page, 'Alerts'), 'The observability token was refused: ');
    await shows(row(page, 'clickstream'), 'Running');
    expect(complaints).toEqual([]);
  });

  it('tells of both at the form where both credentials are wrong', async () => {
    const { page } = await open();
    await signIn(page, { ...right, keySecret: 'wrong', token: 'wrong' });
    await says(page, 'The management key was refused: ');
    await says(page, 'The observability token was refused: ');
    const fields = [page.getByLabel('Key id'), page.getByLabel('Token')];
    for (const field of fields) expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await hasFocus(page.getByLabel('Key id'))).toBe(true);
    await expectAccessible(page);
    await photographConsole(page, 'sign-in');

    await signIn(page, right);
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Above 800 for 15 minutes');
  });

  it('keeps no credential: not in the browser, not over a reload, not after signing out', async () => {
    const { page, elsewhere } = await open();
    expect(await page.locator('input:not([autocomplete="off"])').count()).toBe(0);
    await expectAccessible(page);
    await signIn(page, right);
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Above 800 for 15 minutes');
    await expectAccessible(page);
    expect(await keptByBrowser(page)).toEqual([]);
    expect(page.url()).not.toContain('demo');

    const fields = ['Key id', 'Key secret', 'Token'] as const;
    const values = () => Promise.all(fields.map((name) => page.getByLabel(name).inputValue()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await values()).toEqual(['', '', '']);
    await page.reload();
    expect(await values()).toEqual(['', '', '']);
    expect(elsewhere).toEqual([]);
  });

  it('has no credential of the sandbox in what is built', async () => {
    const { folder } = await open();
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
    );
    expect(texts.some((text) => text.includes('Key secret'))).toBe(true);
    for (const value of Object.values(right)) {
      expect(texts.some((text) => text.includes(value))).toBe(false);
    }
  });
});
