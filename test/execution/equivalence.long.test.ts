import fc from 'fast-check';
import {
  type FragmentDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Call, type GraphQLAnswer, type Stack, startStack, wide } from '../support/harness.ts';
import {
  gatewaySchema,
  type RandomOperation,
  randomOperation,
} from '../support/random/operation.ts';
import { randomFrom } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { randomWorld } from '../support/random/world.ts';
import { type Backend, createBackend } from '../support/world/backend.ts';
import { withNames } from '../support/world/ids.ts';

let stack: Stack;
let backend: Backend;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  stack = await startStack({
    config: wide,
    management: (call) => backend.management(call),
    observability: (call) => backend.observability(call),
  });
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await stack.close();
});

/** For each leaf of the operation, a document that has only what leads to it. */
const leavesOf = (document: string): readonly string[] => {
  const [operation, ...rest] = parse(document).definitions;
  if (operation?.kind !== 'OperationDefinition') throw new TypeError('the operation comes first');
  const fragments = new Map(
    (rest as readonly FragmentDefinitionNode[]).map((node) => [node.name.value, node]),
  );
  const found = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, within: (text: string) => string): void => {
    for (const node of selections) {
      if (node.kind === 'Field') {
        const { selectionSet, ...field } = node;
        const head = print(field);
        if (selectionSet) collect(selectionSet, (text) => within(`${head} { ${text} }`));
        else found.add(within(head));
        continue;
      }
      const fragment = node.kind === 'InlineFragment' ? node : fragments.get(node.name.value);
      if (!fragment) throw new TypeError('each fragment is defined');
      const on = fragment.typeCondition ? `on ${fragment.typeCondition.name.value}` : '';
      const directives = (node.directives ?? []).map(print).join(' ');
      collect(fragment.selectionSet, (text) => within(`... ${on} ${directives} { ${text} }`));
    }
  };
  collect(operation.selectionSet, (text) => text);
  return [...found].map((text) => {
    const used = (operation.variableDefinitions ?? []).map(print).filter((declared) => {
      return new RegExp(`\\${declared.split(':')[0]}\\b`).test(text);
    });
    return `query ${used.length > 0 ? `(${used})` : ''} { ${text} }`;
  });
};

/** Two answers in one. What one of them could not give is null: asked for its identifier alone, a thing need not exist. */
const merged = (one: unknown, other: unknown): unknown => {
  if (one === undefined || other === null) return other;
  if (typeof one !== 'object' || one === null || typeof other !== 'object') return one;
  if (Array.isArray(one)) return one.map((item, index) => merged(item, Reflect.get(other, index)));
  const keys = Object.keys({ ...one, ...other });
  return Object.fromEntries(
    keys.map((key) => [key, merged(Reflect.get(one, key), Reflect.get(other, key))]),
  );
};

const isBelowNull = (data: unknown, path: readonly (string | number)[]): boolean =>
  path.slice(0, -1).some((_, index) => {
    const steps = path.slice(0, index + 1);
    return steps.reduce((value, key) => value && Reflect.get(value as object, key), data) === null;
  });

type Answers = readonly GraphQLAnswer[];
const errorsOf = (answers: Answers, data: unknown): readonly string[] => {
  const errors: readonly { path: string[]; extensions: { code: string } }[] = answers.flatMap(
    ({ body }) => body.errors ?? [],
  );
  const shown = errors
    .filter(({ path }) => !isBelowNull(data, path))
    .map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`);
  return [...new Set(shown)].sort();
};

/** `/v1/organizations`, `…/services`, `…/pipes`, `/api/v2/dashboards`, `/api/v2/alerts` of a single read. */
const collectionOf = (path: string): string | undefined =>
  /^(.*\/(?:organizations|services|pipes|dashboards|alerts))\/[^/]+$/.exec(path)?.[1];

/** Each identifier is of its kind. */
const ownPath = new RegExp(
  '^/v1/organizations(/organization-\\d+(/invitations|/services(/service-\\d+' +
    '(/backupConfiguration|/pipes(/pipe-\\d+)?)?)?)?)?$|^/api/v2/(dashboards|alerts)(/|$)',
);

/**
 * The most calls for the whole operation, from the calls for its leaves: each different one once, as a list in place of single
 * reads is less. One more for each collection in which several identifiers were asked for and at least one of them is of
 * nothing: the list that came in place of the single reads lacks it, and a list may be cut, so it is asked for singly too.
 */
const mostCalls = async (calls: readonly Call[]): Promise<number> => {
  const distinct = [...new Map(calls.map((call) => [call.path, call])).values()];
  const statuses = await Promise.all(
    distinct.map(async (call) => (await backend[call.upstream](call)).status),
  );
  const singles = distinct
    .map(({ path }, index) => ({ list: collectionOf(path), status: statuses[index] }))
    .filter(({ list }) => list !== undefined);
  const listedInVain = [...Map.groupBy(singles, ({ list }) => list).values()].filter(
    (asked) => asked.length > 1 && asked.some(({ status }) => status === 404),
  );
  return distinct.length + listedInVain.length;
};

/**
 * The single reads of nothing beside the list of their collection. A list that was sent before a link was met does not say
 * that what it lacks is gone; alone, the link comes first.
 */
const missedByOlderLists = async (calls: readonly Call[]): Promise<number> => {
  const paths = new Set(calls.map(({ path }) => path));
  const singles = calls.filter(({ path }) => paths.has(collectionOf(path) ?? ''));
  const answers = await Promise.all(singles.map((call) => backend[call.upstream](call)));
  return answers.filter(({ status }) => status === 404).length;
};

let runs = 0;
/** Asks with credentials of their own: a read that others have begun in vain is finished, and would answer these. */
const ask = async (documents: readonly string[], { variables }: RandomOperation) => {
  runs += 1;
  const headers = {
    'management-authorization': `Basic ${btoa(`run:${runs}`)}`,
    'observability-authorization': `Bearer run-${runs}`,
  };
  const own: readonly unknown[] = Object.values(headers);
  const answers = await Promise.all(
    documents.map((document) => stack.query(document, { variables, headers })),
  );
  return {
    answers,
    calls: () => stack.calls.filter((call) => own.includes(call.headers.authorization)),
  };
};

it('answers any query as it answers each of its leaves alone, with no more calls than the bound above', async () => {
  let withErrors = 0;
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (gen) => {
      const world = randomWorld(randomFrom(gen));
      const operation = randomOperation(gen);
      const { document, variables } = operation;
      expect(validate(gatewaySchema, parse(document)), document).toEqual([]);
      backend = createBackend(world);
      stack.calls.length = 0;

      const whole = await ask([document], operation);
      const alone = await ask(leavesOf(document), operation);
      const context = `${document}\nvariables ${JSON.stringify(variables)}`;
      const data = alone.answers.map(({ body }) => body.data).reduce(merged);
      expect(whole.answers[0]?.body.data, context).toEqual(data);
      const errors = errorsOf(whole.answers, data);
      expect(errors, context).toEqual(errorsOf(alone.answers, data));
      withErrors += Number(errors.length > 0);

      const calls = whole.calls().map(({ path }) => path);
      expect(new Set(calls).size, `equal reads\n${context}`).toBe(calls.length);
      const most = (await mostCalls(alone.calls())) + (await missedByOlderLists(whole.calls()));
      expect(calls.length, `${calls.join('\n')}\n${context}`).toBeLessThanOrEqual(most);
      for (const path of calls) expect(withNames(path), context).toMatch(ownPath);
      expect(unhandled, context).toEqual([]);
    }),
    { numRuns: runsOf(15, 300), seed, endOnFailure: true },
  );
  expect(withErrors).toBeGreaterThan(3);
}, 600_000);
