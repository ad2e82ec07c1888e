import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../src/upstream/operation.ts';
import { live, type Row, rows } from '../operations/table.ts';
import { useHostileStack } from '../support/hostile/stack.ts';
import { answerTo } from '../support/operations.ts';
import { runsOf, sampleOf } from '../support/random/runs.ts';
import { anyIdentifier, hostileIdentifiers, isHarmless } from './hostile-identifiers.ts';

/** A place of an operation's variables where an identifier is, alone or in a `nodeId`. */
interface Slot {
  readonly name: string;
  readonly row: Row;
  readonly at: string;
  /** The identifier that the row has there, and the one of the object that is read with it. */
  readonly good: string;
  readonly own: string;
  /** The variables with another one. */
  readonly filled: (id: string) => unknown;
}

/** The identifiers in some variables, each with a function that puts another one in its place. */
const slotsIn = (value: unknown, at = ''): readonly Omit<Slot, 'name' | 'row'>[] => {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) =>
      slotsIn(member, `${at}.${name}`).map((slot) => {
        const filled = (id: string) =>
          Object.assign(structuredClone(value), { [name]: slot.filled(id) });
        return { ...slot, filled };
      }),
    );
  }
  if (typeof value !== 'string' || !/(?:\.id|Id|Ids\.\d+)$/.test(at)) return [];
  if (!at.includes('nodeId')) return [{ at, good: value, own: value, filled: (id) => id }];
  const parts = Buffer.from(value, 'base64url').toString().split(':');
  return parts.map((good, part) => ({
    ...{ at: `${at}, part ${part}`, good, own: parts.at(-1) ?? '' },
    filled: (id) => Buffer.from(parts.with(part, id).join(':')).toString('base64url'),
  }));
};

/** Of each row whose calls have answers. */
const slotsOf = (profile: Row['profile']): readonly Slot[] =>
  Object.entries(rows)
    .filter(([, row]) => row.data !== undefined && row.profile === profile)
    .flatMap(([name, row]) => slotsIn(row.variables).map((slot) => ({ ...slot, name, row })));

const [documented, ofProfiles] = [useHostileStack(), useHostileStack(live)];

const isUuid = (id: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);

interface Problem {
  readonly message: string;
  readonly code?: string;
  readonly extensions?: { readonly code: string };
  readonly field?: readonly string[];
}
/** The errors and user errors of an answer. */
const problemsIn = (body: {
  readonly data?: Readonly<Record<string, { readonly userErrors?: readonly Problem[] } | null>>;
  readonly errors?: readonly Problem[];
}): readonly Problem[] => [
  ...(body.errors ?? []),
  ...Object.values(body.data ?? {}).flatMap((payload) => payload?.userErrors ?? []),
];

/** How a message shows a value: quoted as JSON, and cut where it is long. */
const quoted = (value: string): string => JSON.stringify(value).slice(1, 60).replace(/"$/, '');

/** Expects an error before any call, or exactly the row's calls with this identifier where it was. */
const expectContained = async (slot: Slot, id: string): Promise<void> => {
  const { name, row, at, good, own, filled } = slot;
  const running = row.profile ? ofProfiles : documented;
  // A change's object may be found by its identifier in a list.
  const written = JSON.stringify(id).slice(1, -1);
  const calls = row.calls.map(
    ([line, answer]) =>
      [
        line.replaceAll(good, id),
        answer && JSON.parse(JSON.stringify(answer).replaceAll(good, written)),
      ] as const,
  );
  const answers = new Map(calls);
  const stack = running.answering((line) =>
    answers.get(line.replace('/base', '').replace(/ HTTP.*/, '')),
  );
  const problems = problemsIn((await answerTo(stack, name, filled(id))).body);
  const isFit = isUuid(good) ? isUuid(id) : isHarmless(id);
  const isInPath = row.calls.some(([line]) => line.includes(good));
  const lines = running.lines().toSorted();
  if (problems.length === 0) {
    expect([id, isFit || !isInPath]).toEqual([id, true]);
    expect([id, lines]).toEqual([id, calls.map(([line]) => line).toSorted()]);
    return;
  }
  expect([id, isFit && isInPath]).toEqual([id, false]);
  const field = at.split('.').at(-1) ?? '';
  const [problem, ...others] = problems;
  const code = problem?.code ?? problem?.extensions?.code;
  expect([id, code, others]).toEqual([id, 'BAD_USER_INPUT', []]);
  if (!at.includes('nodeId')) {
    expect(problem?.message).toMatch(RegExp(`^${field} must be .* got `, 's'));
    expect(problem?.message).toContain(quoted(id));
  }
  if (problem?.field) expect(problem.field).toEqual([field]);
  // Of several nodes the others are read.
  const rest = name === 'Nodes' ? row.calls.map(([line]) => line) : [];
  expect([id, lines]).toEqual([id, rest.filter((line) => !line.includes(own)).toSorted()]);
};

describe.each([
  ['documented operations', slotsOf(undefined)],
  ['operations of the live services', slotsOf('live')],
])('hostile identifiers leave no path, in %s:', (_, slots) => {
  it.each(slots.map((slot) => [slot.name, slot.at, slot] as const))(
    '%s, %s',
    async (_name, _at, slot) => {
      for (const id of ['..', ...sampleOf(hostileIdentifiers(slot.good), 8), slot.good])
        await expectContained(slot, id);
    },
  );

  it('at random', async () => {
    const property = fc.asyncProperty(fc.constantFrom(...slots), anyIdentifier, expectContained);
    await fc.assert(property, { seed: 20_261_121, numRuns: runsOf(50, 4000) });
  });
});

const o = '0a9a0000-0000-4000-8000-00000000000e';
const s = '5e4c0000-0000-4000-8000-00000000000a';
const p = '919e0000-0000-4000-8000-00000000000f';
const [d, a] = ['da5b0000000000000000000a', 'a1e40000000000000000000e'];
const sentOf = (ids: readonly unknown[]) =>
  new Set(ids.filter(isHarmless).map((id) => `GET /api/v2/alerts/${id}`));

it('identifiers of other JSON types, in the document itself and in a URL leave no path', async () => {
  const stack = documented.answering(() => ({ name: 'n' }));
  for (const id of [0, -1, 7, 1e21, 1.5, 2 ** 53, true, null, [], ['..'], {}, { id: '..' }]) {
    await stack.query('query ($id: ID!) { alert(alertId: $id) { name } }', { variables: { id } });
  }
  expect(new Set(documented.lines())).toEqual(sentOf(['0', '-1', '7', `${2 ** 53}`]));
  documented.answering(() => ({ name: 'n' }));
  for (const id of hostileIdentifiers(a)) {
    const query = `{ alert(alertId: ${JSON.stringify(id)}) { name } }`;
    await stack.query(query);
    if (id.length > 1000) continue;
    const search = new URLSearchParams({ query: query.toWellFormed() });
    await fetch(`${stack.url}?${search}`, {
      headers: { 'observability-authorization': 'Bearer token' },
    });
  }
  expect(new Set(documented.lines())).toEqual(sentOf(hostileIdentifiers(a)));
});

/** What an upstream may put in place of an identifier, beside texts. */
const oddValues: readonly unknown[] = [
  ...[null, true, 7, -1, 1e21, [], ['x'], ['..'], {}, { id: '..' }, { toString: 'x' }],
];
/** A record with this in place of each of its identifiers. */
const recordOf = (id: unknown) => ({
  ...{ id, name: 'n', dashboard: id, tileId: id, organizationId: id, serviceId: id },
  tiles: [{ id }, { id: 't' }],
});
const inService = `organizationId: "${o}", serviceId: "${s}"`;
const alertLinks = `nodeId dashboard { nodeId name alerts { id } tiles { id dashboard { name } } }
  tile { id name alerts { id } dashboard { name } }`;
const dashboardLinks = `nodeId alerts { id } tiles { id alerts { id } dashboard { name tags } }`;
const serviceLinks = `nodeId pipes { name service { name } } backupConfiguration { backupStartTime }
  organization { name } pipe(id: "${p}") { name }`;
const organizationLinks = `nodeId services { id } invitations { email } service(id: "${s}") { id pipes { name } }`;
const updatedAlert = `updateAlert(input: {alertId: "${a}", threshold: 1}) { alert { ${alertLinks} } }`;
const scaled = `updateServiceScaling(input: {${inService}, numReplicas: 2}) { service { ${serviceLinks} } }`;
const [organization, service] = [`/v1/organizations/${o}`, `/v1/organizations/${o}/services/${s}`];

/** A document, and the call that is answered with the records. */
const brought: readonly (readonly [document: string, source: string])[] = [
  [`{ alerts { ${alertLinks} } }`, 'GET /api/v2/alerts'],
  [`{ dashboards { ${dashboardLinks} } }`, 'GET /api/v2/dashboards'],
  [
    `mutation { createDashboard(input: {name: "n"}) { dashboard { ${dashboardLinks} } } }`,
    'POST /api/v2/dashboards',
  ],
  [`mutation { ${updatedAlert} }`, `PUT /api/v2/alerts/${a}`],
  [`{ organizations { ${organizationLinks} } }`, 'GET /v1/organizations'],
  [`{ organization(organizationId: "${o}") { name ${organizationLinks} } }`, `GET ${organization}`],
  [
    `{ organization(organizationId: "${o}") { services { ${serviceLinks} } } }`,
    `GET ${organization}/services`,
  ],
  [`mutation { ${scaled} }`, `PATCH ${service}/scaling`],
  [
    `{ service(${inService}) { pipes { nodeId name service { name pipe(id: "${p}") { name } } } } }`,
    `GET ${service}/pipes`,
  ],
];

const routes = Object.values<AnyOperation>({
  ...managementOperations('command'),
  ...observabilityOperations,
}).map(({ method, path }) => RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`));
/** The identifiers in a call, or all of it where it is no call that the gateway makes. */
const idsIn = (line: string): readonly string[] =>
  routes.map((route) => route.exec(line)?.slice(1)).find((ids) => ids) ?? [line];

it.each(brought)(
  'identifiers that an upstream brings leave no path: %s',
  async (document, source) => {
    const ids = sampleOf([...hostileIdentifiers(/v1/.test(source) ? o : d), ...oddValues], 20);
    const isList = /^GET .*s$/.test(source);
    for (let at = 0; at < ids.length; at += isList ? 20 : 1) {
      const some = ids.slice(at, at + (isList ? 20 : 1));
      const records = isList ? some.map(recordOf) : recordOf(some[0]);
      // Other lists are empty, and other things as good as possible.
      const stack = documented.answering((line) => {
        if (line === `${source.replace(' ', ' /base')} HTTP/1.1`) return records;
        return /s HTTP/.test(line) && line.startsWith('GET') ? [] : { name: 'n', tiles: [] };
      });
      const { status, text } = await stack.query(document);
      expect(status, text.slice(0, 2000)).toBe(200);
      const lines = documented.lines();
      expect(lines).toContain(source);
      const allowed = new Set([o, s, p, d, a, ...some.filter(isHarmless).map(String)]);
      expect(lines.flatMap(idsIn).filter((id) => !allowed.has(id))).toEqual([]);
    }
  },
);
