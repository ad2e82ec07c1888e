import { describe, expect, it, onTestFinished } from 'vitest';
import { type Call, paced, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const organization = '/v1/organizations/organization-1';
const serviceAt = (number: number) => `${organization}/services/service-${number}`;
const pathOf = ({ path }: Pick<Call, 'path'>) => withNames(path);

/** A gateway that may call management so often, with what it has sent. */
const start = async (calls: number) => {
  const clock = stopTime();
  const backend = createBackend(
    worldOf({
      organizations: 1,
      services: 4,
      pipesPerService: 1,
      dashboards: 0,
      tilesPerDashboard: 0,
      alerts: 0,
    }),
  );
  const stack = await startStack({
    ...backend,
    config: { ...paced, managementRate: { calls, windowMs: 1000 } },
  });
  onTestFinished(() => stack.close());
  const inParts = (document: string) => askInParts(stack, withIds(document));
  return { clock, stack, inParts, sent: () => stack.calls.map(pathOf) };
};

const services = (below: string) =>
  `organization(id: "organization-1") { id services { id ${below} } }`;

describe('the calls of later parts', () => {
  it('are sent after those of every other read that waits, and no sooner for having come first', async () => {
    const { clock, stack, inParts, sent } = await start(1);
    const page = inParts(`{ ${services('... @defer { pipes { name } }')} }`);
    await clock.still(() => page.parts.length === 1);
    const other = stack.query(
      withIds(
        '{ organization(id: "organization-1") { invitations { id } service(id: "service-1") { backupConfiguration { __typename } } } }',
      ),
    );
    // It has asked for its reads before time goes on.
    await stack.query('{ __typename }');
    const { body } = await clock.until(other);
    expect(body.errors).toBeUndefined();
    expect(sent().slice(0, 3)).toEqual([
      `${organization}/services`,
      `${organization}/invitations`,
      `${serviceAt(1)}/backupConfiguration`,
    ]);
    await clock.until(page.ended);
    expect(sent().slice(3)).toEqual(numbers(4).map((number) => `${serviceAt(number)}/pipes`));
  });

  it('leave a fifth of the slots free', async () => {
    const { clock, inParts, sent } = await start(5);
    const page = inParts(`{ ${services('... @defer { pipes { name } }')} }`);
    await clock.still(() => sent().length === 4);
    await clock.until(page.ended);
    expect(sent()).toEqual([
      `${organization}/services`,
      ...numbers(4).map((number) => `${serviceAt(number)}/pipes`),
    ]);
  });

  it('are raised while they wait, where a field that is not deferred comes to need the same', async () => {
    const { clock, stack, inParts, sent } = await start(1);
    await stack.query(withIds(`{ ${services('name')} }`));
    const page = inParts(`{
      ${services('... @defer { pipes { name } }')}
      organizations { id service(id: "service-4") { pipes { state } } }
    }`);
    await clock.until(page.ended);
    expect(sent()).toEqual([
      `${organization}/services`,
      '/v1/organizations',
      ...[4, 1, 2, 3].map((number) => `${serviceAt(number)}/pipes`),
    ]);
  });
});

const documents: readonly (readonly [string, string])[] = [
  ['a relation of each item of a list', `{ ${services('... @defer { pipes { name } }')} }`],
  [
    'a relation that is selected beside it, too',
    `{ ${services('pipes { name } ... @defer { pipes { state } backupConfiguration { __typename } }')} }`,
  ],
  [
    'one single thing beside another of its kind',
    `{ service(organizationId: "organization-1", serviceId: "service-1") { name }
       ... @defer { other: service(organizationId: "organization-1", serviceId: "service-2") { name } } }`,
  ],
  [
    'relations that start with their parent',
    `{ service(organizationId: "organization-1", serviceId: "service-1") { name ... @defer { organization { name services { name } } pipes { name } } } }`,
  ],
  [
    'a fragment that is spread with and without it',
    `{ ${services('...F ...F @defer')} } fragment F on Service { pipes { name } }`,
  ],
  [
    'parts within parts',
    `{ ${services('... @defer { pipes { name ... @defer { service { backupConfiguration { __typename } organization { name } } } } }')} }`,
  ],
];

it.each(documents)('the calls are the same with @defer and without: %s', async (_, document) => {
  const { clock, stack, inParts, sent } = await start(100);
  await clock.until(stack.query(withIds(document.replaceAll('@defer', '@include(if: true)'))));
  const without = sent();
  clock.advance(120_000);
  await clock.until(inParts(document).ended);
  expect(without.length).toBeGreaterThan(0);
  expect(sent().slice(without.length).sort()).toEqual(without.sort());
});
