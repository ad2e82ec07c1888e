import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerError } from '../../support/harness.ts';
import { type Brought, brought, isList, oddValues } from '../../support/hostile/brought.ts';
import {
  anyIdentifier,
  hostileIdentifiers,
  isHarmless,
} from '../../support/hostile/identifiers.ts';
import {
  callsOf,
  good,
  mutations,
  operationOf,
  type Probe,
  queries,
  slotsOf,
} from '../../support/hostile/slots.ts';
import {
  type HostileStack,
  managementAnswer,
  observabilityAnswer,
  type Payload,
  useHostileStack,
} from '../../support/hostile/stack.ts';
import { runsOf } from '../../support/random/runs.ts';

/** The document's own limits are other tests' matter. */
const batch = { query: 20, mutation: 5 } as const;

const running = useHostileStack();

/** The request lines that left so far, without the base path, which has to be there. */
const linesOf = ({ management, observability }: HostileStack): readonly string[] =>
  [...management.calls, ...observability.calls].map(({ line }) => {
    const [, method, path] = /^([A-Z]+) \/base(\/[!-~]*) HTTP\/1\.1$/.exec(line) ?? [];
    return path === undefined ? `broken: ${line}` : `${method} ${path}`;
  });

const forget = ({ management, observability }: HostileStack): void => {
  management.calls.length = 0;
  observability.calls.length = 0;
};

/** The aliases of the fields that were refused for what they were given, by their codes alone. */
const refusedOf = (body: {
  readonly data: Readonly<Record<string, { readonly userErrors?: readonly { code: string }[] }>>;
  readonly errors?: readonly AnswerError[];
}): ReadonlySet<string> => {
  const errors = body.errors ?? [];
  expect(errors.filter(({ extensions }) => extensions.code !== 'BAD_USER_INPUT')).toEqual([]);
  const inPayloads = Object.entries(body.data).filter(
    ([, payload]) => payload?.userErrors?.[0]?.code === 'BAD_USER_INPUT',
  );
  return new Set([...errors.map(({ path }) => String(path[0])), ...inPayloads.map(([key]) => key)]);
};

/** Asks for all probes at once: each is refused, or makes its own calls, and no other call leaves. */
const expectContained = async (
  type: 'query' | 'mutation',
  probes: readonly Probe[],
): Promise<void> => {
  const hostile = running();
  forget(hostile);
  const { document, variables } = operationOf(type, probes);
  const { body, text } = await hostile.stack.query(document, { variables });
  expect(body.data, text.slice(0, 2000)).toBeTruthy();
  const refused = refusedOf(body);
  const sent = probes.filter((_, index) => !refused.has(`f${index}`));
  expect(sent.filter(({ identifier }) => !isHarmless(identifier))).toEqual([]);
  const seen = new Set(linesOf(hostile));
  const allowed = new Set(sent.flatMap((probe) => callsOf(probe).allowed));
  expect([...seen].filter((line) => !allowed.has(line))).toEqual([]);
  const needed = sent.flatMap((probe) => callsOf(probe).needed);
  expect(needed.filter((line) => !seen.has(line))).toEqual([]);
};

describe.each([
  { type: 'query', ways: queries },
  { type: 'mutation', ways: mutations },
] as const)('hostile identifiers leave no path in a $type:', ({ type, ways }) => {
  const slots = slotsOf(ways);
  it.each(slots.map((slot) => [slot.parameter, slot.way.field, slot] as const))(
    '$%s of %s',
    async (parameter, _, slot) => {
      const identifiers = [...hostileIdentifiers(good[parameter]), good[parameter]];
      const probes = identifiers.map((identifier) => ({ slot, identifier }));
      for (let at = 0; at < probes.length; at += batch[type]) {
        await expectContained(type, probes.slice(at, at + batch[type]));
      }
    },
  );

  it('at random', async () => {
    const probe = fc.record({ slot: fc.constantFrom(...slots), identifier: anyIdentifier });
    const probes = fc.array(probe, { minLength: batch[type], maxLength: batch[type] });
    const property = fc.asyncProperty(probes, (some) => expectContained(type, some));
    const numRuns = runsOf(20, 400);
    await fc.assert(property, { seed: 20_261_121, numRuns });
  });
});

it('identifiers of other JSON types leave no path', async () => {
  const hostile = running();
  for (const id of [0, -1, 7, 1e21, 1.5, 2 ** 53, true, null, [], ['..'], {}, { id: '..' }]) {
    await hostile.stack.query('query ($id: ID!) { alert(id: $id) { name } }', {
      variables: { id },
    });
  }
  expect(new Set(linesOf(hostile))).toEqual(
    new Set([
      'GET /api/v2/alerts/0',
      'GET /api/v2/alerts/-1',
      'GET /api/v2/alerts/7',
      'GET /api/v2/alerts/9007199254740992',
    ]),
  );
});

it('identifiers in the document itself, and in the query of a URL, leave no path', async () => {
  const hostile = running();
  for (const id of hostileIdentifiers(good.a)) {
    const query = `{ alert(id: ${JSON.stringify(id)}) { name } }`;
    await hostile.stack.query(query);
    if (id.length < 1000) {
      const search = new URLSearchParams({ query: query.toWellFormed() });
      const headers = { 'observability-authorization': 'Bearer token' };
      await fetch(`${hostile.stack.url}?${search}`, { headers });
    }
  }
  const harmless = hostileIdentifiers(good.a).filter(isHarmless);
  expect(harmless.length).toBeGreaterThan(0);
  expect(new Set(linesOf(hostile))).toEqual(
    new Set(harmless.map((id) => `GET /api/v2/alerts/${id}`)),
  );
});

it('identifiers that are compared, or sent in a body, are no part of a path', async () => {
  const hostile = running();
  for (const id of hostileIdentifiers(good.d)) {
    forget(hostile);
    await hostile.stack.query(
      `query ($id: ID!) { alerts(filter: {dashboardId: $id, tileId: $id}) { name } }`,
      { variables: { id } },
    );
    await hostile.stack.query(
      `mutation ($id: ID!) { updateAlert(input: {alertId: "${good.a}", dashboardId: $id, tileId: $id,
        channel: {type: "webhook", webhookId: $id}}) { userErrors { code } } }`,
      { variables: { id } },
    );
    const alert = `/api/v2/alerts/${good.a}`;
    expect(linesOf(hostile)).toEqual(['GET /api/v2/alerts', `GET ${alert}`, `PUT ${alert}`]);
  }
});

it('forty forged nodeIds at once leave no path', async () => {
  const hostile = running();
  const forged = hostileIdentifiers(good.d).flatMap((id) =>
    [`Dashboard:${id}`, `Pipe:${good.o}:${id}:${good.p}`, `Service:${id}`, `${id}:${good.d}`].map(
      (text) => Buffer.from(text).toString('base64url'),
    ),
  );
  const document = `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId
    ... on Dashboard { name } ... on Pipe { name } ... on Service { name } } }`;
  for (let at = 0; at < forged.length; at += 40) {
    const ids = forged.slice(at, at + 40).map((id) => (id.length > 20_000 ? 'x' : id));
    await hostile.stack.query(document, { variables: { ids } });
  }
  const harmless = hostileIdentifiers(good.d).filter(isHarmless);
  const allowed = new Set(harmless.map((id) => `GET /api/v2/dashboards/${id}`));
  allowed.add('GET /api/v2/dashboards');
  expect(linesOf(hostile).filter((line) => !allowed.has(line))).toEqual([]);
});

describe('identifiers that an upstream brings leave no path:', () => {
  /** Lists elsewhere are empty, and things are as good as possible. */
  const elsewhere: Payload = (line) =>
    /\/(organizations|services|pipes|invitations|dashboards|alerts) /.test(line)
      ? []
      : { name: 'n', tiles: [] };

  const ask = async ({ document, source, record, calls }: Brought, ids: readonly unknown[]) => {
    const hostile = running();
    const payload: Payload = (line) => {
      if (!source.test(line)) return elsewhere(line);
      return isList(source) ? ids.map(record) : record(ids[0]);
    };
    hostile.management.answer(managementAnswer(payload));
    hostile.observability.answer(observabilityAnswer(payload));
    const { status, text } = await hostile.stack.query(document);
    expect(status, text.slice(0, 2000)).toBe(200);
    const lines = linesOf(hostile);
    const allowed = new Set(
      calls.flatMap((call) => ids.filter(isHarmless).map((id) => call.replace('{x}', String(id)))),
    );
    for (const call of calls) allowed.add(call);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !allowed.has(line) || line.includes('{'))).toEqual([]);
    return text;
  };

  it.each(brought)('$title', async (row) => {
    const uuids = /v1/.test(row.calls.join());
    const ids = [...hostileIdentifiers(uuids ? good.o : good.d), ...oddValues];
    const size = isList(row.source) ? 20 : 1;
    for (let at = 0; at < ids.length; at += size) await ask(row, ids.slice(at, at + size));
  });

  it('nodeIds that were made of them', async () => {
    const hostile = running();
    const ids = hostileIdentifiers(good.a);
    const payload: Payload = (line) =>
      line.includes('/alerts ') ? ids.map((id) => ({ id })) : { name: 'n' };
    hostile.observability.answer(observabilityAnswer(payload));
    const { body } = await hostile.stack.query('{ alerts { nodeId } }');
    const nodeIds: readonly string[] = body.data.alerts.map(
      (alert: { nodeId: string }) => alert.nodeId,
    );
    // A row without an identifier is none.
    expect(nodeIds).toHaveLength(ids.length - 1);
    forget(hostile);
    const document = 'query ($id: ID!) { node(nodeId: $id) { ... on Alert { name } } }';
    for (const id of nodeIds) await hostile.stack.query(document, { variables: { id } });
    expect(new Set(linesOf(hostile))).toEqual(
      new Set(ids.filter(isHarmless).map((id) => `GET /api/v2/alerts/${id}`)),
    );
  });
});
