import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { FieldPlan } from '../src/execution/field-plan.ts';
import { Rows } from '../src/upstream/rows.ts';
import { pipeFields } from './pipe-samples.ts';
import {
  damage,
  disturb,
  picker,
  spell,
  usualAlerts,
  usualDashboards,
  usualPipes,
} from './transcripts-bodies.ts';
import { type Bodies, prepare, serviceId } from './transcripts-world.ts';

const alertsBody = (rows: string): string => `{"data":${rows}}`;
const pipesBody = (rows: string): string => `{"status":200,"requestId":"r","result":${rows}}`;
const plain = (value: unknown): string => JSON.stringify(value);

const service = { id: serviceId, name: 'one' };
const usual: Bodies = {
  '/alerts': alertsBody(plain(usualAlerts())),
  '/dashboards': alertsBody(plain(usualDashboards())),
  '/pipes': pipesBody(plain(usualPipes())),
  [`/services/${serviceId}`]: pipesBody(plain(service)),
};

const ofService = (selection: string): string =>
  `query ($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) { id name ${selection} }
  }`;

const queries = {
  alerts: `{
    first: alerts {
      __typename id name message threshold interval state silenced createdAt updatedAt
      channel { type webhookId }
    }
    alerts { again: name id source thresholdType nodeId team: teamId dashboardId tileId savedSearchId groupBy }
  }`,
  links: `{ alerts { name dashboard { name tiles { name x } } id tile { id name } other: dashboard { id } } }`,
  pipes: ofService(`pipes { ${pipeFields} }`),
  parts: ofService(`pipes {
    type: __typename nodeId at: organizationId service: serviceId state
    source { __typename ... on KafkaSource { brokers } ... on PostgresSource { tableMappings { excludedColumns } } }
    destination { columns { type } }
  }`),
};

type Name = keyof typeof queries;
const pathOf = (name: Name): string =>
  name === 'alerts' || name === 'links' ? '/alerts' : '/pipes';
const rowsOf = (name: Name) => (pathOf(name) === '/alerts' ? usualAlerts() : usualPipes());
const bodyOf = (name: Name, rows: string) =>
  pathOf(name) === '/alerts' ? alertsBody(rows) : pipesBody(rows);

const names = Object.keys(queries) as readonly Name[];

/** What is to be the same, and whether the list was transcribed. */
const compare = async (name: Name, body: Buffer): Promise<boolean> => {
  const run = await prepare(queries[name], usual);
  const bodies = { ...usual, [pathOf(name)]: body };
  const expected = await run(bodies, false);
  const actual = await run(bodies, true);
  expect(actual.text, body.toString()).toBe(expected.text);
  expect(actual.notes).toEqual(expected.notes);
  return actual.transcribed;
};

it.each(names)(
  '%s of an ordinary upstream are transcribed, and give the same text',
  async (name) => {
    expect(await compare(name, Buffer.from(bodyOf(name, plain(rowsOf(name)))))).toBe(true);
  },
);

it('no rows give no rows', async () => {
  for (const rows of ['[]', ' [ \n ] ']) {
    for (const name of names)
      expect(await compare(name, Buffer.from(bodyOf(name, rows)))).toBe(true);
  }
});

const runs = Number(process.env.TRANSCRIPT_RUNS ?? 400);

it.each(names)(
  'whatever an upstream sends for %s, the text is as if it were parsed',
  async (name) => {
    let transcribed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.nat({ max: 3 }),
        fc.nat({ max: 3 }),
        async (seed, changes, way) => {
          const pick = picker(seed);
          const rows = disturb(rowsOf(name), pick, changes);
          const body = Buffer.from(bodyOf(name, spell(rows, pick, way > 0)));
          if (await compare(name, way === 3 ? damage(body, pick) : body)) transcribed += 1;
        },
      ),
      { numRuns: runs, seed: 1 },
    );
    // Neither way goes untried.
    expect(transcribed).toBeGreaterThan(runs / 8);
    expect(transcribed).toBeLessThan(runs);
  },
);

it('a condition without a value is no error where there is nothing to be asked for it', async () => {
  const query = `query ($x: Boolean = true) { alerts { id channel { type @include(if: $x) } } }`;
  const rows = usualAlerts().map((row) => ({ ...Object(row), channel: null }));
  const bodies = { ...usual, '/alerts': alertsBody(plain(rows)) };
  const run = await prepare(query, bodies, { x: null });
  expect(await run(bodies, true)).toEqual(await run(bodies, false));
});

it('a list that cannot be transcribed, or too often could not, is not tried any more', async () => {
  const rows = [...usualAlerts(), { name: 'no id' }];
  const odd = { ...usual, '/alerts': alertsBody(plain(rows)) };
  const run = await prepare(queries.alerts, usual);
  const tried = vi.spyOn(Rows.prototype, 'readWritten');
  try {
    for (let time = 0; time < 300; time += 1) await run(odd, true);
    const attempts = tried.mock.calls.length;
    expect(attempts).toBeGreaterThan(100);
    await run(odd, true);
    expect(tried).toHaveBeenCalledTimes(attempts);
    expect((await run(usual, true)).transcribed).toBe(false);
  } finally {
    tried.mockRestore();
  }
});

it('a selection of more than members is looked at once', async () => {
  const query = ofService('pipes { scaling { replicas } service { id } }');
  const run = await prepare(query, usual);
  expect((await run(usual, true)).transcribed).toBe(false);
  const planned = vi.spyOn(FieldPlan.prototype, 'selectionOf');
  const countOf = async (toBePrinted: boolean): Promise<number> => {
    planned.mockClear();
    await run(usual, toBePrinted);
    return planned.mock.calls.length;
  };
  try {
    expect(await countOf(true)).toBe(await countOf(false));
  } finally {
    planned.mockRestore();
  }
});

it.each([
  ['another list beside it', '{"more":[{"id":"x"}],"data":[{"id":"y"}]}'],
  ['another list behind it', '{"data":[{"id":"y"}],"more":[{"id":"x"}]}'],
  ['rows that are not the data', '{"more":[{"id":"x"}],"data":{}}'],
  ['rows twice', '{"data":[{"id":"x"}],"data":[{"id":"y"}]}'],
  ['other data behind the rows', '{"data":[{"id":"x"}],"data":null}'],
  ['brackets in a text', '{"note":"[]","data":[{"id":"x"}]}'],
  ['more than JSON', '{"data":[{"id":"x"}]} more'],
  ['no end', '{"data":[{"id":"x"}]'],
  ['a mark before all', '\ufeff{"data":[{"id":"x"}]}'],
  ['a list alone', '[{"id":"x"}]'],
  ['bytes that are no UTF-8', Buffer.from('{"data":[{"id":"x","name":"caf\xe9"}]}', 'latin1')],
])('an answer with %s is read as if it were parsed', async (_, body) => {
  await compare('alerts', Buffer.from(body));
  await compare('links', Buffer.from(body));
});

it('a member that is selected in two ways is read as if it were parsed', async () => {
  const query = '{ alerts { one: channel { type } two: channel { webhookId } name } }';
  const run = await prepare(query, usual);
  expect(await run(usual, true)).toEqual(await run(usual, false));
});

it.each([300, 600, 900, 1200, 3000])(
  'an answer of %i rows is put together as a short one',
  async (count) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      id: `a${index}`,
      name: `ü ${'x'.repeat(index % 300)}`,
      dashboard: `da5b${index % 2}`,
    }));
    const bodies = { ...usual, '/alerts': alertsBody(plain(rows)) };
    const run = await prepare(queries.links, usual);
    for (let time = 0; time < 2; time += 1) {
      const { text, transcribed } = await run(bodies, true);
      expect([text === (await run(bodies, false)).text, transcribed]).toEqual([true, true]);
      expect(await run(usual, true)).toMatchObject({ transcribed: true });
    }
  },
);
