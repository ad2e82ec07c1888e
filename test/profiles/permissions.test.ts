import { expect, it } from 'vitest';
import { live } from '../operations/table.ts';
import { json, stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { oneTree } from './rows.ts';

const service = 'organizationId: "organization-1", serviceId: "service-1"';
const cloud = 'The key needs the permission control-plane:';

it.each([
  ['a read', live, `service(${service}) { name }`, ` ${cloud}service:view.`],
  ['a list', live, `service(${service}) { backups { id } }`, ` ${cloud}service:view-backups.`],
  ['a list of what a key sees', live, 'organizations { name }', ''],
  ['HyperDX', live, 'dashboards { name }', ''],
  [
    'ClickStack',
    oneTree,
    `service(${service}) { dashboards { name } }`,
    ` ${cloud}service:manage-clickstack-api.`,
  ],
  ['the documented interfaces', {}, `service(${service}) { name }`, ''],
])('a 403 names the permission that Cloud documents: %s', async (_, config, field, named) => {
  const refuse = () => json({ status: 403, error: 'Forbidden.', message: 'Forbidden.' }, 403);
  const stack = await stackInTest({
    ...{ management: refuse, observability: refuse, config },
    ...(config === oneTree && { credentials: { 'observability-authorization': '' } }),
  });
  const { body } = await stack.query(withIds(`{ ${field} }`));
  expect(body.errors).toMatchObject([
    { message: `Forbidden.${named}`, extensions: { code: 'FORBIDDEN' } },
  ]);
});

it('a refused write names it too', async () => {
  const stack = await stackInTest({
    management: () => json({ status: 403, error: 'Forbidden.' }, 403),
    config: live,
  });
  const { body } = await stack.query(
    withIds(
      `mutation { stopService(input: { ${service} }) { service { id } userErrors { code } } }`,
    ),
  );
  expect(body.errors[0].message).toBe(`Forbidden. ${cloud}service:manage.`);
});
