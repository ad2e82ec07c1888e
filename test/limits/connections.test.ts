import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, data, result, startStack } from '../support/harness.ts';

/** Asks both upstreams once, by reads that are equal to no others. */
const asking = (index: number): string => `{
  organization(id: "0a9a0000-0000-4000-8000-0000000000${10 + index}") { name }
  alert(id: "a${index}") { name }
}`;
const answered = { data: { organization: { name: 'well' }, alert: { name: 'well' } } };

/** What that caller brings. */
const caller = (index: number) => ({
  'management-authorization': `Basic ${btoa(`key-${index}:secret`)}`,
  'observability-authorization': `Bearer token-${index}`,
});

/** Upstreams that hold the calls that `isHeld` says, until they are released. */
const start = async (config: Partial<Config>, isHeld = (_: unknown): boolean => true) => {
  const released = Promise.withResolvers<void>();
  const held = { management: 0, observability: 0 };
  const answering: Answering = async ({ upstream, headers }) => {
    if (isHeld(headers.authorization)) {
      held[upstream] += 1;
      await released.promise;
      held[upstream] -= 1;
    }
    const answer = { id: 'a1', name: 'well' };
    return upstream === 'management' ? result(answer) : data(answer);
  };
  const stack = await startStack({ management: answering, observability: answering, config });
  onTestFinished(stack.close);
  const answers = (count: number, headersOf: (index: number) => Record<string, string>) =>
    Array.from({ length: count }, async (_, index) => {
      const { body } = await stack.query(asking(index), { headers: headersOf(index) });
      return body;
    });
  return { stack, held, answers, release: released.resolve };
};

it.each([
  [3, { upstreamConnections: 3 }],
  // Three quarters of 64, as no credential is proven.
  [48, {}],
])(
  'no more than %i are open to an upstream with %j, and nobody goes without',
  async (most, config) => {
    const { stack, held, answers, release } = await start(config);
    const all = answers(80, caller);
    await expect.poll(() => held).toEqual({ management: most, observability: most });
    await stack.query('{ __typename }');
    expect(stack.calls).toHaveLength(2 * most);
    release();
    expect(await Promise.all(all)).toEqual(Array(80).fill(answered));
    expect(stack.calls).toHaveLength(160);
  },
);

it('one caller has a quarter of them, and another one is answered meanwhile', async () => {
  const own: readonly unknown[] = Object.values(caller(0));
  const { stack, held, answers, release } = await start({}, (value) => own.includes(value));
  const all = answers(80, () => caller(0));
  await expect.poll(() => held).toEqual({ management: 16, observability: 16 });
  expect((await stack.query(asking(0), { headers: caller(1) })).body).toEqual(answered);
  expect(stack.calls).toHaveLength(34);
  release();
  expect(await Promise.all(all)).toEqual(Array(80).fill(answered));
});
