import { afterEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Place, places, type UpstreamName } from '../support/faults/places.ts';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
afterEach(() => stack.close());

/** A status, the code of a read, how often a read is sent, and the code of a write or of its user error. */
const table: readonly (readonly [
  status: number,
  query: string,
  reads: 1 | 3,
  mutation?: string | { readonly userError: string },
])[] = [
  [400, 'BAD_USER_INPUT', 1, { userError: 'REJECTED' }],
  [401, 'UNAUTHENTICATED', 1],
  [403, 'FORBIDDEN', 1],
  [404, 'NOT_FOUND', 1],
  [409, 'UPSTREAM_ERROR', 1, { userError: 'CONFLICT' }],
  [418, 'UPSTREAM_ERROR', 1],
  [422, 'BAD_USER_INPUT', 1, { userError: 'REJECTED' }],
  [424, 'SERVICE_NOT_RUNNING', 1, { userError: 'SERVICE_NOT_RUNNING' }],
  [429, 'RATE_LIMITED', 1],
  [500, 'UPSTREAM_ERROR', 1],
  [501, 'UPSTREAM_ERROR', 1],
  [502, 'UPSTREAM_UNAVAILABLE', 3],
  [503, 'UPSTREAM_UNAVAILABLE', 3],
  [504, 'UPSTREAM_TIMEOUT', 3],
  // Of Cloudflare, which stands before a service.
  [520, 'UPSTREAM_UNAVAILABLE', 3, 'UPSTREAM_TIMEOUT'],
  [524, 'UPSTREAM_TIMEOUT', 3],
  ...[521, 522, 523, 525, 526, 530].map((status) => [status, 'UPSTREAM_UNAVAILABLE', 3] as const),
  // Of nobody that is known.
  ...[527, 528, 529].map((status) => [status, 'UPSTREAM_ERROR', 1] as const),
];

/** Whether the very same request may be sent again: what may have been written must not be. */
const retryable = (code: string, { kind }: Place): boolean =>
  code === 'RATE_LIMITED' ||
  (kind === 'query' && (code === 'UPSTREAM_UNAVAILABLE' || code === 'UPSTREAM_TIMEOUT'));

const failure = (upstream: UpstreamName, status: number, words: string): Answer =>
  upstream === 'management'
    ? json({ status, error: words, requestId: 'r-1' }, status)
    : json({ message: words }, status);

const run = async ({ upstream, kind, faulted, same, other }: Place, answer: Answer) => {
  const answers = answering({
    ...{ ...same.answers, ...faulted.answers, ...other.answers },
    [faulted.call]: answer,
  });
  stack = await startStack({ management: answers, observability: answers });
  const fields = [same, faulted, other].map(({ field }) =>
    field.replace('{ code }', '{ code message field }'),
  );
  const { status, body } = await stack.query(`${kind} { ${fields.join('\n')} }`);
  expect([upstream, status]).toEqual([upstream, 200]);
  return { body, sent: stack.callList().filter((call) => call === faulted.call).length };
};

const cases = table.flatMap(([status, query, reads, mutation = query]) =>
  places.map((place) => ({
    status,
    reads,
    place,
    code: place.kind === 'query' ? query : mutation,
  })),
);

it.each(cases)(
  '$status, met by a $place.kind of $place.upstream, gives $code and nothing else',
  async (row) => {
    const { status, code, reads, place } = row;
    const { faulted, upstream, kind, same, other } = place;
    const answer = failure(upstream, status, 'CODE: in the words of the upstream');
    const { body, sent } = await run(place, answer);
    const shown = `${status === 424 ? 'The service is not running: ' : ''}in the words of the upstream.`;
    const whole = { ...same.data, ...faulted.data, ...other.data };
    expect(sent).toBe(kind === 'query' ? reads : 1);
    if (typeof code !== 'string') {
      const [field = '', member = ''] = faulted.path;
      const userErrors = [{ code: code.userError, message: shown, field: null }];
      expect(body).toEqual({ data: { ...whole, [field]: { [member]: null, userErrors } } });
      return;
    }
    expect(body.data).toEqual(whole);
    expect(body.errors).toHaveLength(1);
    const [error] = body.errors;
    expect(error.path).toEqual(faulted.path);
    expect(error.extensions).toEqual({
      code,
      upstream: {
        ...{ name: upstream, operation: expect.any(String), status },
        ...(upstream === 'management' && { requestId: 'r-1' }),
      },
      retryable: retryable(code, place),
      requestId: expect.any(String),
    });
    // Below 500 the upstream speaks to the caller; beyond, it speaks of itself.
    if (status < 500) expect(error.message).toBe(shown);
    else expect(error.message).not.toContain('words');
    // Anything may have happened behind what answers 5xx, but for these two.
    expect(/The write may have been carried out\.$/.test(error.message)).toBe(
      kind === 'mutation' && status >= 500 && ![501, 503].includes(status),
    );
  },
);

describe.each(places)('a 429, met by a $kind of $upstream,', (place) => {
  it.each([
    [{ 'x-ratelimit-reset': '7' }, 7],
    [{ 'ratelimit-reset': '34', 'retry-after': '60' }, 34],
    [{ 'retry-after': '60' }, 60],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1],
    [{ 'x-ratelimit-reset': 'soon' }, undefined],
  ])('with %j says to wait %s seconds', async (headers, seconds) => {
    const { body } = await run(place, { status: 429, headers, body: '<p>Too many requests</p>' });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(body.errors[0].extensions.retryAfterSeconds).toBe(seconds);
  });
});

describe('an answer of success that is none gives UPSTREAM_BAD_RESPONSE:', () => {
  const organizationId = '0a9a0000-0000-4000-8000-000000000001';
  const ids = `organizationId: "${organizationId}", serviceId: "5e4c0000-0000-4000-8000-000000000001"`;
  const pipes = `{ service(${ids}) { pipes { id } } }`;
  const service = `{ service(${ids}) { name } }`;
  const code = 'UPSTREAM_BAD_RESPONSE';
  const start = async (answer: Answer): Promise<void> => {
    stack = await startStack({ management: () => answer, observability: () => answer });
  };

  it.each<readonly [string, unknown, readonly string[]]>([
    [pipes, { status: 200, result: { id: 'x' } }, ['service', 'pipes']],
    [pipes, { status: 200 }, ['service', 'pipes']],
    ['{ alerts { id } }', { data: null }, ['alerts']],
    ['{ alerts { id } }', {}, ['alerts']],
    ['{ alert(id: "a1") { id name } }', { data: 'x' }, ['alert']],
    [service, null, ['service']],
    [service, [{ id: 'x' }], ['service']],
    ...[500, 300, 199, '201', null].map(
      (status) => [service, { status, result: { id: 'x' } }, ['service']] as const,
    ),
  ])('%s with %j', async (document, answer, path) => {
    await start(json(answer));
    const { body } = await stack.query(document);
    expect(body.errors).toMatchObject([{ path, extensions: { code, retryable: false } }]);
  });

  it('a value that does not fit the schema', async () => {
    await start(json({ data: { id: 'a1', threshold: 'many' } }));
    const { body } = await stack.query('{ alert(id: "a1") { threshold } }');
    const message = 'The upstream sent a value for "threshold" that does not fit the schema.';
    const path = ['alert', 'threshold'];
    expect(body.errors).toMatchObject([{ message, path, extensions: { code, retryable: false } }]);
  });

  it.each([200, 201, 202, 299])('but not an envelope with the status %i', async (status) => {
    await start(json({ status, result: { id: 'x', name: 'n' } }));
    expect((await stack.query(service)).body).toEqual({ data: { service: { name: 'n' } } });
  });
});
