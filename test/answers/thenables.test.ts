import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type AnswerError, json, type Stack, startStack } from '../support/harness.ts';
import { askInParts, assembled, deferred } from '../support/in-parts.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
let answer: Answer;
beforeAll(async () => {
  stack = await startStack({ management: () => answer, observability: () => answer });
});
afterAll(() => stack.close());

const shown = (errors: readonly unknown[] = []): readonly string[] =>
  (errors as readonly AnswerError[]).map(({ path, extensions }) => `${path} ${extensions.code}`);

/** By each executor, the data, and path and code of each error. */
const ways = {
  whole: async (document: string) => {
    const { body } = await stack.query(document);
    return { data: body.data, errors: shown(body.errors) };
  },
  'in parts': async (document: string) => {
    const parts = await askInParts(stack, deferred(document)).ended;
    expect(parts.length).toBeGreaterThan(1);
    const errors = parts.flatMap((part) => [part, ...(part.incremental ?? [])]);
    return { data: assembled(parts), errors: errors.flatMap((part) => shown(part.errors)) };
  },
};

const thenOf = (value: unknown): object => Object.fromEntries([['then', value]]);

/** A document, and what an upstream answers; `then` stands for the member that must not matter. */
const rows: readonly (readonly [document: string, wire: (then: object) => unknown])[] = [
  [
    `{ service(@service-1) { pipes { name scaling { replicas } source { ... on KafkaSource { topics
      offset { timestamp } } } destination { columns { name } } settings { engineMaxThreads } } } }`,
    (then) => [
      { id: 'p1', name: 'plain' },
      {
        ...{ ...then, id: 'p2', name: 'odd', scaling: { replicas: 2, ...then } },
        source: { ...then, kafka: { topics: 't', offset: { timestamp: 'now', ...then }, ...then } },
        destination: { ...then, columns: [{ name: 'c', ...then }] },
        settings: { ...then, engine_max_threads: 4 },
      },
    ],
  ],
  [
    'mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name channel { type } } } }',
    (then) => ({ ...then, id: 'a1', name: 'lag', channel: { ...then, type: 'webhook' } }),
  ],
  // An object in place of a boolean that may be one.
  [
    '{ alerts { name silenced } }',
    (then) => [{ id: 'a1', name: 'odd', silenced: { by: 'u', ...then } }],
  ],
];

const spellings = [
  (text: string) => text,
  (text: string) => text.replaceAll('"then"', '"\\u0074hen"'),
];

describe.each(Object.entries(ways))('in an answer that is sent %s, a member "then"', (_, ask) => {
  const askOf = (document: string, value: unknown, spelt = (text: string) => text) => {
    const { body, ...others } = json({ status: 200, result: value, data: value });
    answer = { ...others, body: spelt(body) };
    return ask(withIds(document));
  };

  it.each(rows)('is one member more: %s', async (document, wire) => {
    const plain = await askOf(document, wire({}));
    expect(plain.errors).toEqual([]);
    for (const spelt of spellings) {
      for (const value of ['x', 1, true, null, {}, [], thenOf('y')]) {
        expect(await askOf(document, wire(thenOf(value)), spelt)).toEqual(plain);
        expect(answer.body).toContain(spelt('"then"'));
        expect(stack.complaints()).toBe('');
      }
    }
  });

  it('of an object in place of a text is an error of that text', async () => {
    const record = { id: withIds('service-1'), name: 'a', iamRole: thenOf('x') };
    expect(await askOf('{ service(@service-1) { name iamRole } }', record)).toEqual({
      data: { service: { name: 'a', iamRole: null } },
      errors: ['service,iamRole UPSTREAM_BAD_RESPONSE'],
    });
  });
});
