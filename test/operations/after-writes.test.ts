import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerError, startSandboxStack } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { type HeldTime, holdTime } from '../support/pacing/time.ts';
import { profiles, type Row, rows } from './table.ts';

type Ids = Readonly<Record<string, unknown>>;

/** The variables of a query without a filter, with what a write names in place of what its own row names. */
const variablesFor = (name: string, { filter, typeIn, ...variables }: Ids, written: Ids): Ids =>
  Object.fromEntries(
    Object.entries(variables).map(([each, value]) => {
      const id = each === 'id' ? `${name.replace(/(?!^)[A-Z].*/, '').toLowerCase()}Id` : each;
      return [each, written[id] ?? value];
    }),
  );

// The demo tells what each write changes; the rows of src/upstream say it in `changes`.
describe.each([
  ['the demo', false],
  ['the demo with --profile live', true],
])('in %s', (_, isLive) => {
  /** The rows of that kind. Those of screens read what others read. */
  const isOf = (kind: string) =>
    Object.entries(rows).filter(
      ([name, row]) =>
        (isLive ? row.profile !== 'clickstack-cloud' : !row.profile) &&
        row.data &&
        textOf(name).startsWith(`${kind} `),
    );

  let time: HeldTime;
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  beforeAll(async () => {
    time = holdTime();
    stack = await startSandboxStack({
      sandbox: {
        clock: () => new Date('2026-11-21T10:00:00Z'),
        ...(isLive && { profile: 'live' }),
      },
      config: {
        readCacheBytes: 64 * 1024 * 1024,
        ...(isLive && profiles.live),
      },
    });
  });
  afterAll(async () => {
    await stack.close();
    time.release();
  });

  /** The answers of all queries, and how many calls they made. */
  const ask = async ({ variables: { input } }: Row, headers: Readonly<Record<string, string>>) => {
    stack.calls.length = 0;
    const answers = isOf('query').map(async ([name, { variables }]) => {
      const of = variablesFor(name, variables, input as Ids);
      const { body } = await stack.query(textOf(name), { variables: of, headers });
      const errors = (body.errors ?? []).map(
        ({ path, extensions }: AnswerError) => `${path.join('.')} ${extensions.code}`,
      );
      return [name, body.data, errors.sort()];
    });
    return { answers: await Promise.all(answers), calls: stack.calls.length };
  };

  it.each(isOf('mutation'))(
    'after %s no query is answered with what was before',
    async (name, row) => {
      await ask(row, {});
      const { body } = await stack.query(textOf(name), { variables: row.variables });
      expect(body.errors).toBeUndefined();
      const kept = await ask(row, {});
      const fresh = await ask(row, { 'cache-control': 'no-cache' });
      expect(kept.answers).toEqual(fresh.answers);
      expect(kept.calls).toBeLessThan(fresh.calls);
    },
  );
});
