import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSandboxStack } from '../support/harness.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startSandboxStack>>;
beforeAll(async () => {
  stack = await startSandboxStack();
});
afterAll(() => stack.close());

const credentialHeaders = () => ({
  'management-authorization': stack.sandbox.credentials.management.admin.header,
  'observability-authorization': stack.sandbox.credentials.observability.main.header,
});

/** Identifiers of things that the sandbox has. */
const findIds = async () => {
  const { body } = await stack.query(
    '{ organizations { id services { id pipes { id state } } } dashboards { id } alerts { id state } }',
  );
  const [organization] = body.data.organizations;
  const service = organization.services.find(({ pipes }: { pipes: unknown[] }) => pipes.length > 0);
  return {
    organization: organization.id,
    service: service.id,
    pipe: service.pipes[0],
    dashboard: body.data.dashboards[0].id,
    alert: body.data.alerts[0],
  };
};

type Ids = Awaited<ReturnType<typeof findIds>>;
const inService = ({ organization, service }: Ids): string =>
  `organizationId: "${organization}", serviceId: "${service}"`;

it.each<[string, (ids: Ids) => string]>([
  [
    'organization',
    ({ organization }) => `organization(id: "${organization}") { id name services { name } }`,
  ],
  ['service', (ids) => `service(${inService(ids)}) { id name pipes { name } }`],
  [
    'pipe',
    (ids) => `pipe(${inService(ids)}, pipeId: "${ids.pipe.id}") { id state service { name } }`,
  ],
  ['dashboard', ({ dashboard }) => `dashboard(id: "${dashboard}") { id name tiles { id } }`],
  [
    'alerts',
    ({ alert }) => `alerts(filter: {state: "${alert.state}"}) { id state dashboard { name } }`,
  ],
  ['alert', ({ alert }) => `alert(id: "${alert.id}") { id state }`],
])('Subscription.%s begins with what the query of that name gives', async (_, fieldOf) => {
  const field = fieldOf(await findIds());
  const { body } = await stack.query(`{ ${field} }`);
  const stream = await subscribe(stack.url, `subscription { ${field} }`, {
    headers: credentialHeaders(),
  });
  const event = await stream.event(1);
  expect(event).toEqual(body);
  expect(event.errors).toBeUndefined();
  expect(Object.values(event.data)[0]).toBeTruthy();
  stream.leave();
});

it('Subscription.pipes begins with the pipes of the service that the filter lets through', async () => {
  const ids = await findIds();
  const filter = `filter: {state: "${ids.pipe.state}"}`;
  const { body } = await stack.query(
    `{ service(${inService(ids)}) { pipes(${filter}) { id state } } }`,
  );
  const query = `subscription { pipes(${inService(ids)}, ${filter}) { id state } }`;
  const stream = await subscribe(stack.url, query, { headers: credentialHeaders() });
  expect(await stream.event(1)).toEqual({ data: { pipes: body.data.service.pipes } });
  stream.leave();
});
