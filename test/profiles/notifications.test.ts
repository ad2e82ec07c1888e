import { expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  type Call,
  json,
  type Stack,
  stackInTest,
} from '../support/harness.ts';
import { startTwoOverRedis, tenant } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { withIds } from '../support/world/ids.ts';
import { cloud, startProfile } from './rows.ts';

const kinds = ['critical', 'warning', 'info'] as const;

/** Notifications without an identifier, newest first; every third is critical. */
const fleet = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ type: `t${at % 2}`, severity: kinds[at % 3], at }));

const queryOf = ({ path }: Call): URLSearchParams => new URL(path, 'http://upstream').searchParams;

/** Answers as the contract says: with filters, and in pages. */
const pagesOf =
  (all: ReturnType<typeof fleet>): Answering =>
  (call) => {
    const query = queryOf(call);
    const found = all.filter(
      ({ severity, type }) =>
        (query.get('severity') ?? severity) === severity && (query.get('type') ?? type) === type,
    );
    const [start, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
    const nextCursor = start + limit < found.length ? String(start + limit) : null;
    const result = found.slice(start, start + limit);
    return json({ status: 200, requestId: 'r', result, limit, nextCursor });
  };

const documentOf = (args: string, fields = 'items { json } hasMore'): string =>
  withIds(
    `{ organization(organizationId: "organization-1") { notifications${args} { ${fields} } } }`,
  );

interface Shown {
  readonly items: readonly { readonly json: string }[];
  readonly hasMore: boolean;
}

/** How many are shown, the first and the last of them, and whether there are more. */
const briefOf = ({ items, hasMore }: Shown) => {
  const all = items.map(({ json: text }): number => JSON.parse(text).at);
  return [all.length, all[0], all.at(-1), hasMore];
};

const ask = async (stack: Stack, document: string, headers = {}) => {
  const { body } = await stack.query(document, { headers });
  const calls = stack.calls.splice(0).map((call) => `${queryOf(call)}`);
  const errors: readonly AnswerError[] = body.errors ?? [];
  return { shown: body.data.organization.notifications, errors, calls };
};

const page = 'limit=250';
const [second, third] = [`${page}&cursor=250`, `${page}&cursor=500`];

it.each([
  ['without arguments, a hundred with one call', '', [100, 0, 99, true], [page]],
  ['as many as a page has', '(first: 250)', [250, 0, 249, true], [page]],
  ['one more than a page has', '(first: 251)', [251, 0, 250, true], [page, second]],
  ['all, and no more pages', '(first: 5000)', [600, 0, 599, false], [page, second, third]],
  ['with null, a hundred', '(first: null)', [100, 0, 99, true], [page]],
  [
    'of one severity, which the upstream finds',
    '(severityIn: ["Critical"], first: 1000)',
    [200, 0, 597, false],
    [`${page}&severity=critical`],
  ],
  [
    'of one severity and one type',
    '(severityIn: ["info"], typeIn: ["t1"], first: 1)',
    [1, 5, 5, true],
    [`${page}&severity=info&type=t1`],
  ],
  [
    'of one type in other letters, which the gateway finds',
    '(typeIn: ["T1"], first: 1)',
    [1, 1, 1, true],
    [page],
  ],
  [
    'of two severities, which the gateway finds in as many pages as it takes',
    '(severityIn: ["critical", "warning"], first: 200)',
    [200, 0, 298, true],
    [page, second],
  ],
])('notifications %s', async (_, args, brief, calls) => {
  const stack = await startProfile({ management: pagesOf(fleet(600)) });
  const { shown, errors, calls: made } = await ask(stack, documentOf(args));
  expect([briefOf(shown), made, errors]).toEqual([brief, calls, []]);
});

it.each(['severityIn: []', 'typeIn: []', 'first: 0'])(
  'notifications with %s are none',
  async (args) => {
    const stack = await startProfile({ management: pagesOf(fleet(600)) });
    const { shown, errors } = await ask(stack, documentOf(`(${args})`));
    expect([shown, errors]).toEqual([{ items: [], hasMore: false }, []]);
  },
);

it('notifications of a page larger than a call may have arguments are shown', async () => {
  // Without the service's own limit of a page.
  const result = fleet(200_000);
  const stack = await startProfile({ management: () => json({ status: 200, result }) });
  const { shown, errors } = await ask(stack, documentOf('(first: 2)'));
  expect([briefOf(shown), errors]).toEqual([[2, 0, 1, true], []]);
});

it('notifications show what is sure of each, and all of it as JSON', async () => {
  const result = [{ type: 'a', severity: 'new', more: { x: [1] } }, {}, null, 'odd'];
  const stack = await startProfile({ management: () => json({ status: 200, result }) });
  const { shown } = await ask(stack, documentOf('', 'items { type severity json } hasMore'));
  expect(shown).toEqual({
    items: [
      { type: 'a', severity: 'new', json: JSON.stringify(result[0]) },
      { type: null, severity: null, json: '{}' },
    ],
    hasMore: false,
  });
});

it('at most eight pages are looked through, and hasMore tells of the others', async () => {
  const stack = await startProfile({ management: pagesOf(fleet(5000)) });
  const { body } = await stack.query(documentOf('(typeIn: ["a", "b"])'));
  const { items, hasMore } = body.data.organization.notifications;
  expect([items, hasMore, stack.calls.length]).toEqual([[], true, 8]);
});

it('notifications whose pages lead in a circle are an error, and end', async () => {
  const circle = { status: 200, result: [], nextCursor: 'again' };
  const stack = await startProfile({ management: () => json(circle) });
  const { shown, errors, calls } = await ask(stack, documentOf(''));
  expect([shown, errors[0]?.extensions.code]).toEqual([null, 'UPSTREAM_BAD_RESPONSE']);
  expect(calls).toEqual([page, `${page}&cursor=again`]);
});

/** Each key gets its own. */
const byKey: Answering = ({ headers }) =>
  json({ status: 200, result: [{ at: atob(String(headers.authorization).slice(6)) }] });
const ofKey = async (stack: Stack, name: string) => {
  const { shown, calls } = await ask(stack, documentOf(''), tenant(name));
  return [JSON.parse(shown.items[0].json).at, calls.length];
};

it('each key of an organization gets its own notifications, from memory too', async () => {
  const config = { ...cloud, readCacheBytes: 1024 * 1024 };
  const stack = await stackInTest({ management: byKey, observability: byKey, config });
  const asked = [];
  for (const name of ['a', 'b', 'a', 'b']) asked.push(await ofKey(stack, name));
  expect(asked).toEqual([
    ['a:secret', 1],
    ['b:secret', 1],
    ['a:secret', 0],
    ['b:secret', 0],
  ]);
  const both = await Promise.all(['c', 'd'].map((name) => ofKey(stack, name)));
  expect(both.map(([own]) => own)).toEqual(['c:secret', 'd:secret']);
});

it.skipIf(redisPath === undefined)('and from the Redis that two gateways share', async () => {
  const { one, other } = await startTwoOverRedis({ management: byKey, config: cloud });
  const asked = [];
  for (const [stack, name] of [
    [one, 'a'],
    [other, 'b'],
    [other, 'a'],
    [one, 'b'],
  ] as const) {
    asked.push(await ofKey(stack, name));
  }
  expect(asked).toEqual([
    ['a:secret', 1],
    ['b:secret', 1],
    ['a:secret', 0],
    ['b:secret', 0],
  ]);
});
