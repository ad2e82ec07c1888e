import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Call, data, result, type Stack, startStack } from '../support/harness.ts';
import { type HeaderLine, postRaw } from '../support/http/raw.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const credentials: readonly HeaderLine[] = [
  ['Management-Authorization', 'Basic a2V5OnNlY3JldA=='],
  ['Observability-Authorization', 'Bearer token'],
];

const read = `{ service(organizationId: "${organizationId}", serviceId: "${serviceId}") { name }
  alerts { id } }`;
const write = `mutation { updateServiceScaling(input: {
  organizationId: "${organizationId}", serviceId: "${serviceId}", numReplicas: 2 }) { service { id } } }`;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({ id: serviceId }),
    observability: () => data([]),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

const send = (headers: readonly HeaderLine[] = [], document = read) =>
  postRaw(stack.url, document, [...credentials, ...headers]);

/** The names on the wire, without those that belong to the connection alone. */
const names = ({ headers }: Call): string[] =>
  Object.keys(headers)
    .filter((name) => name !== 'host' && name !== 'connection')
    .sort();

const valuesOf = (name: string) => stack.calls.map(({ headers }) => headers[name]);

describe('toward an upstream go', () => {
  it('these headers of a read and no others, whatever came', async () => {
    await send([
      ['Cookie', 'session=abc'],
      ['Forwarded', 'for=192.0.2.1'],
      ['X-Forwarded-For', '192.0.2.1'],
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Real-IP', '192.0.2.1'],
      ['Accept-Language', 'de'],
      ['Accept-Encoding', 'gzip'],
      ['Origin', 'https://evil.example'],
      ['Referer', 'https://evil.example/page'],
      ['User-Agent', 'browser'],
      ['X-Custom', 'anything'],
      ['Proxy-Authorization', 'Basic cHJveHk6cHJveHk='],
      ['Baggage', 'user=alice'],
    ]);
    expect(stack.calls.map(names)).toEqual(
      Array(2).fill(['accept', 'authorization', 'user-agent', 'x-request-id']),
    );
    for (const { rawHeaders } of stack.calls) {
      expect(rawHeaders.join('\n')).not.toMatch(/evil|192\.0\.2\.1|session=|browser|alice|gzip/);
    }
  });

  it('the host of the upstream and not the one that the caller named', async () => {
    await send([['X-Forwarded-Host', 'evil.example']]);
    expect(stack.calls).toHaveLength(2);
    for (const value of valuesOf('host')) expect(value).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(valuesOf('host')).not.toContain(new URL(stack.url).host);
  });

  it('type and length as well where there is a body', async () => {
    await send([], write);
    expect(stack.calls.map(names)).toEqual([
      ['accept', 'authorization', 'content-length', 'content-type', 'user-agent', 'x-request-id'],
    ]);
    expect(stack.calls[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '17',
    });
    expect(stack.calls[0]?.body).toBe('{"numReplicas":2}');
  });
});

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const state = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';

describe('trace context', () => {
  it.each<readonly [string, readonly HeaderLine[], string | undefined, string | undefined]>([
    ['traceparent alone', [['traceparent', parent]], parent, undefined],
    [
      'traceparent and tracestate',
      [
        ['traceparent', parent],
        ['tracestate', state],
      ],
      parent,
      state,
    ],
    ['no tracestate without traceparent', [['tracestate', state]], undefined, undefined],
    [
      'no tracestate beside a malformed traceparent',
      [
        ['traceparent', '00-abc-def-01'],
        ['tracestate', state],
      ],
      undefined,
      undefined,
    ],
    [
      'no tracestate that is too long',
      [
        ['traceparent', parent],
        ['tracestate', `a=${'x'.repeat(600)}`],
      ],
      parent,
      undefined,
    ],
    [
      'no tracestate with bytes outside ASCII',
      [
        ['traceparent', parent],
        ['tracestate', 'a=\xe9'],
      ],
      parent,
      undefined,
    ],
    [
      'no tracestate that is no list of key=value',
      [
        ['traceparent', parent],
        ['tracestate', 'no members here'],
      ],
      parent,
      undefined,
    ],
  ])('passes on: %s', async (_, headers, traceparent, tracestate) => {
    await send(headers);
    expect(valuesOf('traceparent')).toEqual([traceparent, traceparent]);
    expect(valuesOf('tracestate')).toEqual([tracestate, tracestate]);
  });

  it.each([
    ['upper-case digits', parent.toUpperCase()],
    ['a short trace id', '00-0af7651916cd43dd8448eb211c8031-b7ad6b7169203331-01'],
    ['further members in version 00', `${parent}-extra`],
    ['free text', 'anything'],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['an all-zero parent id', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['the forbidden version ff', `ff${parent.slice(2)}`],
  ])('does not pass on a traceparent with %s', async (_, value) => {
    await send([['traceparent', value]]);
    expect(valuesOf('traceparent')).toEqual([undefined, undefined]);
  });

  it('does not pass on two traceparents', async () => {
    await send([
      ['traceparent', parent],
      ['traceparent', parent],
    ]);
    expect(valuesOf('traceparent')).toEqual([undefined, undefined]);
  });
});

describe('x-request-id', () => {
  it.each([
    ['a UUID', '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11'],
    ['letters, digits, dots, underscores', 'Run_7.step-2'],
    ['128 characters', 'a'.repeat(128)],
  ])('is passed on and answered as it came: %s', async (_, value) => {
    const { head } = await send([['X-Request-Id', value]]);
    expect(valuesOf('x-request-id')).toEqual([value, value]);
    expect(head).toContain(`x-request-id: ${value.toLowerCase()}`);
  });

  it.each([
    ['a space', 'a b'],
    ['a quote', 'a"b'],
    ['a line feed, encoded', 'a%0ab'],
    ['bytes outside ASCII', 'a\xe9b'],
    ['129 characters', 'a'.repeat(129)],
    ['nothing in it', ''],
  ])('with %s is replaced by one of the gateway', async (_, value) => {
    const { head } = await send([['X-Request-Id', value]]);
    const [first, second] = valuesOf('x-request-id');
    expect(first).toMatch(uuidV4);
    expect(second).toBe(first);
    expect(head).toContain(`x-request-id: ${first}`);
  });

  it('is made up for each request that brings none', async () => {
    await send();
    await send();
    const ids = valuesOf('x-request-id');
    expect(ids).toHaveLength(4);
    for (const id of ids) expect(id).toMatch(uuidV4);
    expect(new Set(ids).size).toBe(2);
  });
});
