import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type AnswerError, json, type Stack, startStack } from '../support/harness.ts';
import { askInParts, assembled, deferred } from '../support/in-parts.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ofOrganization = `organizationId: "${organizationId}"`;
const ofService = `${ofOrganization}, serviceId: "${serviceId}"`;

let stack: Stack;
let answer: Answer;
beforeAll(async () => {
  stack = await startStack({ management: () => answer, observability: () => answer });
});
afterAll(() => stack.close());

/** By each executor, the data, and path and code of each error. */
const ways = {
  whole: async (document: string) => {
    const { body } = await stack.query(document);
    return { data: body.data, errors: shown(body.errors) };
  },
  'in parts': async (document: string) => {
    const parts = await askInParts(stack, deferred(document)).ended;
    expect(parts.length).toBeGreaterThan(1);
    const all = parts.flatMap(({ errors, incremental = [] }) => [
      errors,
      ...incremental.map((part) => part.errors),
    ]);
    return { data: assembled(parts), errors: all.flatMap(shown) };
  },
};

const shown = (errors: readonly unknown[] = []): readonly (readonly [string, string])[] =>
  (errors as readonly AnswerError[]).map(({ path, extensions }) => [
    path.join('.'),
    extensions.code,
  ]);

const thenOf = (value: unknown): object => Object.fromEntries([['then', value]]);

/** Answers with an envelope that either interface could have sent. */
const enveloped = (value: unknown) => json({ status: 200, result: value, data: value });

/** What an upstream answers with to a document; `then` stands for the member that must not matter. */
type Row = readonly [title: string, document: string, wire: (then: object) => unknown];

const pipeFields = `name scaling { replicas } source { ... on KafkaSource { topics offset { timestamp } } }
  destination { table columns { name } } fieldMappings { sourceField } settings { engineMaxThreads }`;
const pipeOf = (then: object) => ({
  ...{ ...then, id: 'p2', name: 'odd', scaling: { replicas: 2, ...then } },
  source: { ...then, kafka: { topics: 't', offset: { timestamp: 'now', ...then }, ...then } },
  destination: { ...then, table: 'u', columns: [{ name: 'c', ...then }] },
  ...{
    fieldMappings: [{ ...then, sourceField: 'f' }],
    settings: { ...then, engine_max_threads: 4 },
  },
});
const channel = (then: object) => ({ ...then, type: 'webhook' });

const rows: readonly Row[] = [
  [
    'a row of pipes, and every object in it',
    `{ service(${ofService}) { pipes { ${pipeFields} } } }`,
    (then) => [{ id: 'p1', name: 'plain' }, pipeOf(then)],
  ],
  [
    'a changed alert, as it was read and as it was answered',
    `mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) {
      alert { name channel { type } } userErrors { code } } }`,
    (then) => ({ ...then, id: 'a1', name: 'lag', channel: channel(then) }),
  ],
  [
    'an object in place of a boolean that may be one',
    '{ alerts { name silenced } }',
    (then) => [{ id: 'a1', name: 'odd', silenced: { by: 'u', ...then } }],
  ],
];

const spellings = {
  'as it is': (text: string) => text,
  escaped: (text: string) => text.replaceAll('"then"', '"\\u0074hen"'),
};

describe.each(Object.entries(ways))('in an answer that is sent %s, a member "then"', (_, ask) => {
  it.each(rows)('of %s is one member more', async (_title, document, wire) => {
    answer = enveloped(wire({}));
    const plain = await ask(document);
    expect(plain.errors).toEqual([]);
    for (const spelt of Object.values(spellings)) {
      for (const value of ['x', 1, true, null, {}, [], thenOf('y')]) {
        const odd = enveloped(wire(thenOf(value)));
        answer = { ...odd, body: spelt(odd.body) };
        expect(answer.body).toContain(spelt('"then"'));
        expect(await ask(document)).toEqual(plain);
        expect(stack.complaints()).toBe('');
      }
    }
  });

  it('of an object in place of a text is an error of that text', async () => {
    answer = enveloped({ id: serviceId, name: 'a', iamRole: thenOf('x') });
    expect(await ask(`{ service(${ofService}) { name iamRole } }`)).toEqual({
      data: { service: { name: 'a', iamRole: null } },
      errors: [['service.iamRole', 'UPSTREAM_BAD_RESPONSE']],
    });
  });
});
