import '../support/client/built.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { ServicesWithPipesDocument } from '../../client/src/operations.ts';
import { credentials, paced, startStack } from '../support/harness.ts';
import { createBackend, type World } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';

const services = Array.from({ length: 12 }, (_, index) => ({
  id: `service-${index + 1}`,
  name: `service ${index + 1}`,
  backup: null,
  pipes: [],
}));

const world: World = JSON.parse(
  withIds(
    JSON.stringify({
      organizations: [{ id: 'organization-1', name: 'Acme', invitations: [], services }],
      dashboards: [],
      alerts: [],
    }),
  ),
);

it('client.untilWhole, against the gateway, gives fuller answers until one is whole', async () => {
  const managementRate = { calls: 5, windowMs: 1000 };
  const config = { ...paced, managementRate, pacingWaitMs: 200 };
  const stack = await startStack({ ...createBackend(world), config });
  onTestFinished(() => stack.close());
  const client = createClient({
    url: stack.url,
    management: credentials['management-authorization'],
  });
  const organizationId = withIds('organization-1');
  const progress: (number | undefined)[] = [];
  const read: (number | undefined)[] = [];
  for await (const answer of client.untilWhole(ServicesWithPipesDocument, { organizationId })) {
    const { data, errors, extensions } = answer;
    progress.push(extensions?.progress?.ready);
    read.push(data?.organization?.services?.filter(({ pipes }) => pipes).length);
    expect(new Set(errors.map(({ code }) => code)).size).toBe(extensions?.progress ? 1 : 0);
  }
  expect(progress.length).toBeGreaterThan(1);
  expect(progress.at(-1)).toBeUndefined();
  expect(progress.slice(0, -1)).not.toContain(undefined);
  expect(read.at(-1)).toBe(12);
  expect(read).toEqual(read.toSorted((one = 0, other = 0) => one - other));
  const paths = stack.calls.map(({ path }) => path).filter((path) => path.endsWith('/pipes'));
  expect(new Set(paths.slice(0, 12)).size).toBe(12);
});
