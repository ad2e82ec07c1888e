import { expect, it } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import { right, row, says, shows, signIn } from '../../support/browser/console-page.ts';
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
].sort();

describeInBrowser('the upstream calls of the console', () => {
  const open = consoleOnSandbox();

  it('from signing in to having stopped a pipe are these, and fit one window', async () => {
    const { page, stack, settle, pass } = await open();
    await signIn(page, right);
    const pipe = row(page, 'clickstream');
    await shows(pipe, 'Running');
    await shows(row(page, 'API latency'), 'Fires above 800');
    expect(stack.callList()).toEqual(firstPage);

    await pipe.getByRole('button', { name: 'Stop' }).click();
    await shows(pipe.getByRole('status'), 'Stop was sent.');
    await shows(pipe, 'Stopping');
    settle();
    await pass(2);
    await shows(pipe.getByRole('status'), 'Now Stopped.');
    await shows(pipe, 'Stopped');
    // Longer than the page would go on looking.
    await pass(600);
    expect(stack.callList()).toEqual(
      [...firstPage, `PATCH ${clickstream}/state`, `GET ${clickstream}`].sort(),
    );
    const management = stack.calls.filter(({ upstream }) => upstream === 'management');
    expect(management.length).toBeLessThanOrEqual(window);
  });

  it('after a command that was refused are the read of that pipe, and no other', async () => {
    const { page, stack, settle } = await open();
    await signIn(page, right);
    const pipe = row(page, 'crm');
    await shows(pipe, 'Stopped');
    // Somebody else starts it, and it runs.
    const input = { organizationId, serviceId: services.trial, pipeId: pipes.crm };
    const document =
      'mutation ($input: StartPipeInput!) { startPipe(input: $input) { pipe { id } } }';
    await stack.query(document, { variables: { input } });
    settle();

    stack.calls.length = 0;
    await pipe.getByRole('button', { name: 'Start' }).click();
    await says(pipe, 'start is allowed in state Stopped or Failed, the pipe is Running');
    await shows(pipe.getByRole('status'), 'Now Running.');
    await shows(pipe, 'Running');
    expect(stack.callList()).toEqual([`GET ${crm}`, `PATCH ${crm}/state`]);
  });

  it('for a threshold are those of the change alone', async () => {
    const { page, stack, pass } = await open();
    await signIn(page, right);
    const alert = row(page, 'API latency');
    await shows(alert, 'Fires above 800');
    stack.calls.length = 0;
    await alert.getByRole('button', { name: 'Change threshold' }).click();
    await alert.getByLabel('Threshold', { exact: true }).fill('900');
    await alert.getByRole('button', { name: 'Save' }).click();
    await shows(alert.getByRole('status'), 'The threshold is saved.');
    await shows(alert, 'Fires above 900');
    await pass(600);
    expect(stack.callList()).toEqual([`GET ${latency}`, `PUT ${latency}`]);
  });
});
