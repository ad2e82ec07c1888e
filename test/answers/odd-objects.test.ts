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

interface ThenRow {
  readonly title: string;
  readonly document: string;
  /** What the upstream answers with; `then` stands for the member that must not matter. */
  readonly wire: (then: object) => unknown;
  readonly data: unknown;
  readonly errors?: readonly (readonly [path: string, code: string])[];
}

const thenRows: readonly ThenRow[] = [
  {
    title: 'a row of pipes, and every object in it',
    document: `{ service(${ofService}) { pipes {
      name scaling { replicas } source { ... on KafkaSource { topics offset { timestamp } } }
      destination { table columns { name } } fieldMappings { sourceField } settings { engineMaxThreads }
    } } }`,
    wire: (then) => [
      { id: 'p1', name: 'plain' },
      {
        ...then,
        id: 'p2',
        name: 'odd',
        scaling: { replicas: 2, ...then },
        source: { ...then, kafka: { topics: 't', offset: { timestamp: 'now', ...then }, ...then } },
        destination: { ...then, table: 'u', columns: [{ name: 'c', ...then }] },
        fieldMappings: [{ ...then, sourceField: 'f' }],
        settings: { ...then, engine_max_threads: 4 },
      },
    ],
    data: {
      service: {
        pipes: [
          {
            name: 'plain',
            scaling: null,
            source: null,
            destination: null,
            fieldMappings: null,
            settings: null,
          },
          {
            name: 'odd',
            scaling: { replicas: 2 },
            source: { topics: 't', offset: { timestamp: 'now' } },
            destination: { table: 'u', columns: [{ name: 'c' }] },
            fieldMappings: [{ sourceField: 'f' }],
            settings: { engineMaxThreads: 4 },
          },
        ],
      },
    },
  },
  {
    title: 'a dashboard, its tiles and their series',
    document: '{ dashboard(id: "d1") { name tiles { name series { type } } } }',
    wire: (then) => ({
      ...then,
      id: 'd1',
      name: 'd',
      tiles: [{ ...then, id: 't1', name: 'a', series: [{ ...then, type: 'line' }] }, { id: 't2' }],
    }),
    data: {
      dashboard: {
        name: 'd',
        tiles: [
          { name: 'a', series: [{ type: 'line' }] },
          { name: null, series: null },
        ],
      },
    },
  },
  {
    title: 'an object in place of a text',
    document: `{ service(${ofService}) { name iamRole } }`,
    wire: (then) => ({ id: serviceId, name: 'a', iamRole: then }),
    data: { service: { name: 'a', iamRole: null } },
    errors: [['service.iamRole', 'UPSTREAM_BAD_RESPONSE']],
  },
  {
    title: 'an object in place of a number, a date and an enum value',
    document: '{ alerts { name threshold createdAt source silenced } }',
    wire: (then) => [
      { id: 'a1', name: 'odd', threshold: then, createdAt: then, source: 'tile', silenced: then },
      { id: 'a2', name: 'plain', threshold: 1, createdAt: null, source: 'search', silenced: true },
    ],
    data: {
      alerts: [
        { name: 'odd', threshold: null, createdAt: null, source: 'TILE', silenced: true },
        { name: 'plain', threshold: 1, createdAt: null, source: 'SEARCH', silenced: true },
      ],
    },
    errors: [
      ['alerts.0.threshold', 'UPSTREAM_BAD_RESPONSE'],
      ['alerts.0.createdAt', 'UPSTREAM_BAD_RESPONSE'],
    ],
  },
  {
    title: 'a new key and the answer that holds it',
    document: `mutation { createApiKey(input: { ${ofOrganization}, roles: [ADMIN] }) {
      apiKey { name roles } keyId keySecret userErrors { code } } }`,
    wire: (then) => ({
      ...then,
      key: { ...then, id: 'k1', name: 'new', roles: ['admin'] },
      keyId: 'id',
      keySecret: 'only once',
    }),
    data: {
      createApiKey: {
        apiKey: { name: 'new', roles: ['ADMIN'] },
        keyId: 'id',
        keySecret: 'only once',
        userErrors: [],
      },
    },
  },
  {
    title: 'a changed alert, as it was read and as it was answered',
    document: `mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) {
      alert { name channel { type } } userErrors { code } } }`,
    wire: (then) => ({ ...then, id: 'a1', name: 'lag', channel: { ...then, type: 'webhook' } }),
    data: {
      updateAlert: { alert: { name: 'lag', channel: { type: 'webhook' } }, userErrors: [] },
    },
  },
];

const spellings = [
  ['as it is', (text: string) => text],
  ['escaped', (text: string) => text.replaceAll('"then"', '"\\u0074hen"')],
] as const;

const each = spellings.flatMap(([title, spelt]) =>
  Object.entries(ways).map(([way, ask]) => [title, way, spelt, ask] as const),
);

describe.each(each)(
  'a member "then", %s, of an answer that is sent %s, in',
  (_, __, spelt, ask) => {
    it.each(thenRows)(
      '$title is one member more',
      async ({ document, wire, errors = [], ...row }) => {
        for (const value of ['x', 1, true, null, {}, [], thenOf('y')]) {
          const plain = enveloped(wire(thenOf(value)));
          answer = { ...plain, body: spelt(plain.body) };
          expect(answer.body).toContain(spelt('"then"'));
          expect(await ask(document)).toEqual({ data: row.data, errors });
          expect(stack.complaints()).toBe('');
        }
      },
    );
  },
);
