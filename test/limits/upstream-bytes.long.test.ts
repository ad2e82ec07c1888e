import { afterEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  type GraphQLAnswer,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { isLong } from '../support/random/runs.ts';

let stack: Stack;
afterEach(() => stack.close());

const organizationId = (index: number): string =>
  `0a9a0000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A list whose answer is a bit longer than that. */
const listOf = (bytes: number) => result([{ id: 'i1', email: 'e'.repeat(bytes) }]);

const invitations = (from: number, to = from): string =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const number = from + index;
    return `o${number}: organization(id: "${organizationId(number)}") { invitations { id } }`;
  }).join(' ');

const start = async (management: Answering, config = {}): Promise<void> => {
  stack = await startStack({
    management,
    observability: () => data({ id: 'd1', name: 'n'.repeat(1000) }),
    config: { maxUpstreamBytes: 2500, upstreamConnections: 1, ...config },
  });
};

const codesOf = ({ body }: GraphQLAnswer) =>
  (body.errors ?? []).map(({ path, extensions }: AnswerError) => [path.join('.'), extensions.code]);

const exceeded = (index: number) => [`o${index}.invitations`, 'UPSTREAM_BUDGET_EXCEEDED'];

describe('the bytes that the upstreams answer an operation are limited:', () => {
  it('fields within the limit are answered, and those beyond it fail', async () => {
    await start(() => listOf(1000));
    const answer = await stack.query(`{ ${invitations(1, 4)} }`);
    expect(Object.values(answer.body.data)).toEqual([
      { invitations: [{ id: 'i1' }] },
      { invitations: [{ id: 'i1' }] },
      { invitations: null },
      { invitations: null },
    ]);
    expect(codesOf(answer)).toEqual([exceeded(3), exceeded(4)]);
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringContaining('bytes'),
      extensions: {
        code: 'UPSTREAM_BUDGET_EXCEEDED',
        upstream: { name: 'management', operation: 'listInvitations' },
        retryable: false,
      },
    });
  });

  it('of both upstreams together', async () => {
    await start(() => listOf(1000));
    const answer = await stack.query(`{ ${invitations(1, 2)} dashboard(id: "d1") { name } }`);
    expect(codesOf(answer)).toHaveLength(1);
  });

  it('for each operation on its own', async () => {
    await start(() => listOf(1000));
    for (let time = 0; time < 3; time += 1) {
      const answer = await stack.query(`{ ${invitations(1, 2)} }`);
      expect(answer.body.errors).toBeUndefined();
    }
  });

  it('a large answer does not fail a write, but no call is sent after it', async () => {
    await start(() => result({ keyId: 'k1', keySecret: 's'.repeat(3000), key: { id: 'k1' } }));
    const create = (alias: string) =>
      `${alias}: createApiKey(input: {organizationId: "${organizationId(1)}", name: "n", roles: [DEVELOPER]}) { keySecret }`;
    const answer = await stack.query(`mutation { ${create('a')} ${create('b')} }`);
    expect(answer.body.data).toEqual({
      a: { keySecret: 's'.repeat(3000) },
      b: { keySecret: null },
    });
    expect(codesOf(answer)).toEqual([['b.keySecret', 'UPSTREAM_BUDGET_EXCEEDED']]);
    expect(stack.calls).toHaveLength(1);
  });
});

describe('a read that is shared counts for each that uses it:', () => {
  /** Answers the shared read when it is told to. */
  const gated = async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const shared = `/${organizationId(9)}/invitations`;
    await start(
      async ({ path }) => {
        if (path.endsWith(shared)) await opened;
        return listOf(1000);
      },
      { upstreamConnections: 64 },
    );
    return { open, shared };
  };

  it('the one that started it has too much, and the one that joined it has not', async () => {
    const { open, shared } = await gated();
    const first = stack.query(`{ ${invitations(1, 2)} ${invitations(9)} }`);
    await expect.poll(() => stack.calls.some(({ path }) => path.endsWith(shared))).toBe(true);
    const second = stack.query(`{ ${invitations(9)} }`);
    await expect.poll(() => stack.calls.length).toBe(3);
    // The other one has arrived by now: its answer to a later request says so.
    await stack.query('{ __typename }');
    open();
    expect(codesOf(await first)).toEqual([exceeded(9)]);
    const joined = await second;
    expect(joined.body.errors).toBeUndefined();
    expect(joined.body.data).toEqual({ o9: { invitations: [{ id: 'i1' }] } });
    expect(stack.calls.filter(({ path }) => path.endsWith(shared))).toHaveLength(1);
  });

  it('the one that joined it has too much, and the one that started it has not', async () => {
    const { open, shared } = await gated();
    const first = stack.query(`{ ${invitations(9)} }`);
    await expect.poll(() => stack.calls.some(({ path }) => path.endsWith(shared))).toBe(true);
    const second = stack.query(`{ ${invitations(1, 2)} ${invitations(9)} }`);
    await expect.poll(() => stack.calls.length).toBe(3);
    await stack.query('{ __typename }');
    open();
    expect(codesOf(await second)).toEqual([exceeded(9)]);
    expect((await first).body.errors).toBeUndefined();
    expect(stack.calls.filter(({ path }) => path.endsWith(shared))).toHaveLength(1);
  });
});

describe.runIf(isLong)('with the default of 32 MB', () => {
  it('twenty lists of 9 MB give three, in bounded memory', async () => {
    const long = listOf(9 * 1024 * 1024);
    stack = await startStack({ management: () => long, observability: () => data([]) });
    const before = process.memoryUsage().rss;
    const query = `{ ${invitations(1, 20).replaceAll('{ id }', '{ email }')} }`;
    const answer = await stack.query(query);
    expect(answer.text.length).toBeLessThan(32 * 1024 * 1024);
    expect(codesOf(answer)).toHaveLength(17);
    expect(new Set(codesOf(answer).map(([, code]: string[]) => code))).toEqual(
      new Set(['UPSTREAM_BUDGET_EXCEEDED']),
    );
    // The backend and the caller are in this process too.
    expect(process.memoryUsage().rss - before).toBeLessThan(900 * 1024 * 1024);
  });
});
