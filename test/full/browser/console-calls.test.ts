import { expect, it } from 'vitest';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import { right, row, says, shows, signIn, stopPipe } from '../../support/browser/console-page.ts';
import { consoleOnSandbox } from '../../support/browser/console-world.ts';

const { organizationId, services, pipes } = world.management.main;
const organization = `/v1/organizations/${organizationId}`;
const clickstream = `${organization}/services/${services.production}/pipes/${pipes.clickstream}`;
const crm = `${organization}/services/${services.trial}/pipes/${pipes.crm}`;
const latency = `/api/v2/alerts/${world.observability.main.alerts.latency}`;

/** What the management interface answers to one key in ten seconds. */
const window = 10;

const firstPage = [
  'GET /v1/organizations',
  `GET ${organization}/services`,
  ...Object.values(services).map((id) => `GET ${organization}/services/${id}/pipes`),
  'GET /api/v2/dashboards',
  'GET /api/v2/alerts',
  // An alert names a dashboard that the list lacks.
  `GET /api/v2/dashboards/${world.observability.main.dashboards.gone}`,
].sort();

describeInBrowser('the upstream calls of the console', () => {
  const open = consoleOnSandbox();

  it('from signing in to having stopped a pipe fit one window', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, right);
    const pipe = row(page, 'clickstream');
    await shows(pipe, 'Running');
    await shows(row(page, 'API latency'), 'Above 800 for 15 minutes');
    expect(stack.callList()).toEqual(firstPage);

    await stopPipe(page, 'clickstream');
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await shows(pipe, 'Stopping');
    // The gateway reads what the command has changed, for all who follow it.
    const pipes = `GET ${organization}/services/${services.production}/pipes`;
    const wanted = [...firstPage, `PATCH ${clickstream}/state`, pipes].sort();
    await expect.poll(() => stack.callList()).toEqual(wanted);
    const management = stack.calls.filter(({ upstream }) => upstream === 'management');
    expect(management.length).toBeLessThanOrEqual(window);
  });

  it('after a command that was refused are the read of that pipe, and one of its list by the gateway', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, right);
    const pipe = row(page, 'crm');
    await shows(pipe, 'Stopped');
    // Somebody else starts it, past this gateway.
    await fetch(`${stack.sandbox.managementUrl}${crm}/state`, {
      method: 'PATCH',
      headers: {
        authorization: credentials.management.admin.header,
        'content-type': 'application/json',
      },
      body: '{"command":"start"}',
    });

    stack.calls.length = 0;
    await pipe.getByRole('button', { name: 'Start' }).click();
    await says(pipe, 'tart is allowed in state Stopped or Failed');
    await shows(pipe, 'Provisioning');
    const list = crm.slice(0, crm.lastIndexOf('/'));
    await expect
      .poll(() => stack.callList())
      .toEqual([`GET ${list}`, `GET ${crm}`, `PATCH ${crm}/state`]);
  });

  it('for a threshold are those of the change, and one read of all alerts', async () => {
    const { page, stack } = await open({ reads: 'never' });
    await signIn(page, { token: right.token });
    const alert = row(page, 'API latency');
    await shows(alert, 'Above 800 for 15 minutes');
    stack.calls.length = 0;
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    await alert.getByLabel('Threshold', { exact: true }).fill('900');
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    await shows(alert, 'Above 900 for 15 minutes');
    await expect
      .poll(() => stack.callList())
      .toEqual(['GET /api/v2/alerts', `GET ${latency}`, `PUT ${latency}`]);
  });
});
