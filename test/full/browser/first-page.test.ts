import { expect, it, onTestFinished } from 'vitest';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import { read } from '../../support/docs/pages.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { serve } from '../../support/servers.ts';

describeInBrowser('the first page of docs/clients.md', () => {
  it('shows the pipes that have failed or stopped, and why there are none', async () => {
    // In the place of `python3 -m http.server`.
    let html = '';
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(html);
    });
    // As CORS_ORIGINS says.
    const stack = await startSandboxStack({ config: { corsOrigins: [origin] } });
    onTestFinished(() => stack.close());
    html = read('examples/first-page.html').replace('http://127.0.0.1:4000/graphql', stack.url);
    const { page } = await openPage(origin);
    await page.context().unrouteAll();
    const show = async (secret: string) => {
      await page.getByLabel('Key id').fill('demo-admin-key');
      await page.getByLabel('Key secret').fill(secret);
      await page.getByRole('button').click();
    };
    await show('demo-admin-secret');
    await expect
      .poll(() => page.getByRole('listitem').allInnerTexts())
      .toEqual([
        'staging: clickstream (staging) is Failed',
        'staging: invoices is Paused',
        'customer-360 trial: crm is Stopped',
      ]);
    await show('another secret');
    await expect.poll(() => page.locator('p').innerText()).toMatch(/API key is required/);
    expect(await page.getByRole('listitem').count()).toBe(0);
  });
});
