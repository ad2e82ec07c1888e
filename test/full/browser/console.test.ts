import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  expectAccessible,
  half,
  hasFocus,
  keptByBrowser,
  photographConsole,
  right,
  row,
  says,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { consoleOnSandbox } from '../../support/browser/console-world.ts';

describeInBrowser('the console on the sandbox', () => {
  const open = consoleOnSandbox();
  const refresh = (page: Page, name: 'Databases' | 'Dashboards'): Promise<void> =>
    half(page, name).getByRole('button', { name: 'Refresh' }).click();

  it('stops a pipe and starts it again', async () => {
    const { page, settle, complaints, elsewhere } = await open();
    await signIn(page, right);
    const pipe = row(page, 'clickstream');
    await shows(pipe, 'Running');

    await pipe.getByRole('button', { name: 'Stop' }).click();
    await shows(pipe, 'Stopping');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await photographConsole(page, 'stopping');
    settle();
    await refresh(page, 'Databases');
    await shows(pipe, 'Stopped');
    // An outcome is news until the next read.
    expect(await pipe.getByRole('status').innerText()).toBe('');

    await pipe.getByRole('button', { name: 'Start' }).click();
    await shows(pipe, 'Provisioning');
    settle();
    await refresh(page, 'Databases');
    await shows(pipe, 'Running');
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it('offers each pipe the commands that apply to it', async () => {
    const { page, stack } = await open();
    await signIn(page, right);
    await shows(row(page, 'crm'), 'Stopped');
    const offered = async (name: string) => {
      const buttons = await row(page, name).getByRole('button').all();
      return Promise.all(
        buttons.map(async (button) => {
          const off = (await button.getAttribute('aria-disabled')) === 'true';
          return `${await button.innerText()}${off ? ' (off)' : ''}`.replaceAll(/\s+/g, ' ');
        }),
      );
    };
    expect(await offered('clickstream')).toEqual(['Start clickstream (off)', 'Stop clickstream']);
    expect(await offered('clickstream (staging)')).toEqual([
      'Start clickstream (staging)',
      'Stop clickstream (staging)',
    ]);
    expect(await offered('crm')).toEqual(['Start crm', 'Stop crm (off)', 'Resync crm']);

    // What is off is not sent, however it is pressed.
    stack.calls.length = 0;
    const start = row(page, 'clickstream').getByRole('button', { name: 'Start' });
    await start.click({ force: true });
    await start.press('Enter');
    await row(page, 'crm').getByRole('button', { name: 'Resync' }).click();
    await shows(row(page, 'crm'), 'Resync');
    const sent = stack.calls.filter(({ method }) => method !== 'GET');
    expect(sent.map(({ method, body }) => ({ method, body }))).toEqual([
      { method: 'PATCH', body: '{"command":"resync"}' },
    ]);
  });

  it('says beside the button why a command was refused', async () => {
    const { page, stack, settle } = await open();
    await signIn(page, right);
    const pipe = row(page, 'crm');
    await shows(pipe, 'Stopped');
    // Somebody else was faster.
    const { organizationId, services, pipes } = stack.sandbox.world.management.main;
    const input = { organizationId, serviceId: services.trial, pipeId: pipes.crm };
    const document =
      'mutation ($input: StartPipeInput!) { startPipe(input: $input) { pipe { state } } }';
    await stack.query(document, { variables: { input } });

    await pipe.getByRole('button', { name: 'Start' }).click();
    await says(pipe, 'start is allowed in state Stopped or Failed, the pipe is Provisioning');
    await shows(pipe, 'Provisioning');
    await photographConsole(page, 'refused');
    settle();
    await refresh(page, 'Databases');
    await shows(pipe, 'Running');
    expect(await pipe.getByRole('alert').count()).toBe(0);
  });

  it('changes the threshold of an alert, and it stays changed', async () => {
    const { page, stack, complaints } = await open();
    await signIn(page, right);
    const alert = row(page, 'API latency');
    await shows(alert, 'Fires above 800');
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    const threshold = alert.getByLabel('Threshold', { exact: true });
    expect(await hasFocus(threshold)).toBe(true);
    await expectAccessible(page);

    await threshold.fill('0.0005');
    await alert.getByLabel('Fires').selectOption('below');
    await photographConsole(page, 'threshold');
    stack.calls.length = 0;
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(alert, 'Fires below 0.0005');
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    expect(await alert.getByRole('form').count()).toBe(0);
    expect(await hasFocus(alert.getByRole('button', { name: 'Change threshold' }))).toBe(true);
    expect(stack.calls.filter(({ method }) => method !== 'GET')).toHaveLength(1);

    await page.reload();
    await signIn(page, right);
    await shows(row(page, 'API latency'), 'Fires below 0.0005');
    // What the form has no field for is as it was.
    const { body } = await stack.query(
      '{ alerts(filter: { nameContains: "API latency" }) { interval message } }',
    );
    expect(body.data.alerts).toEqual([
      { interval: '15m', message: 'The 95th percentile is above 800 ms.' },
    ]);
    expect(complaints).toEqual([]);
  });

  it('refuses wrong credentials at the form, and takes the right ones then', async () => {
    const { page, complaints } = await open();
    await signIn(page, { ...right, keySecret: 'wrong' });
    await says(page, 'The management key was refused: a valid API key is required.');
    const keyId = page.getByLabel('Key id');
    expect(await hasFocus(keyId)).toBe(true);
    expect(await keyId.getAttribute('aria-invalid')).toBe('true');
    expect(await keyId.inputValue()).toBe(right.keyId);
    await expectAccessible(page);

    await signIn(page, { ...right, token: 'wrong' });
    await says(page, 'The observability token was refused: ');
    await photographConsole(page, 'sign-in');
    expect(await hasFocus(page.getByLabel('Token'))).toBe(true);

    await signIn(page, right);
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Fires above 800');
    expect(complaints).toEqual([]);
  });

  it('keeps no credential: not in the browser, not over a reload, not after signing out', async () => {
    const { page, elsewhere } = await open();
    expect(await page.locator('input:not([autocomplete="off"])').count()).toBe(0);
    await expectAccessible(page);
    await signIn(page, right);
    await shows(row(page, 'clickstream'), 'Running');
    await shows(row(page, 'API latency'), 'Fires above 800');
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
