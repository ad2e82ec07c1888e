import { describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Place, places, type UpstreamName } from '../support/faults/places.ts';
import { type Answer, type Answering, json, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let answers: Answering;
const stack = useStack({
  management: (call) => answers(call),
  observability: (call) => answers(call),
  config: { breakerFailures: 1_000_000 },
});

/** Statuses, the code of a read, how often it is sent, and the code of a write or, with a mark, of its user error. */
type Statuses = readonly [statuses: readonly number[], read: string, sent: number, write?: string];
const table: readonly Statuses[] = [
  [[400, 422], 'BAD_USER_INPUT', 1, 'REJECTED!'],
  [[401], 'UNAUTHENTICATED', 1],
  [[403], 'FORBIDDEN', 1],
  [[404], 'NOT_FOUND', 1],
  [[409], 'UPSTREAM_ERROR', 1, 'CONFLICT!'],
  [[418, 500, 501, 529], 'UPSTREAM_ERROR', 1],
  [[424], 'SERVICE_NOT_RUNNING', 1, 'SERVICE_NOT_RUNNING!'],
  [[429], 'RATE_LIMITED', 1],
  [[502, 503, 521, 530], 'UPSTREAM_UNAVAILABLE', 3],
  [[504, 524], 'UPSTREAM_TIMEOUT', 3],
  [[520], 'UPSTREAM_UNAVAILABLE', 3, 'UPSTREAM_TIMEOUT'],
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
  answers = answering({
    ...{ ...same.answers, ...faulted.answers, ...other.answers },
    [faulted.call]: answer,
  });
  const fields = [same, faulted, other].map(({ field }) =>
    field.replace('{ code }', '{ code message field }'),
  );
  const { status, body } = await stack.query(`${kind} { ${fields.join('\n')} }`);
  expect([upstream, status]).toEqual([upstream, 200]);
  return { body, sent: stack.callList().filter((call) => call === faulted.call).length };
};

const cases = table.flatMap(([statuses, read, sent, write = read]) =>
  statuses.flatMap((status) =>
    places.map((place) => {
      const isRead = place.kind === 'query';
      return { place, status, code: isRead ? read : write, times: isRead ? sent : 1 };
    }),
  ),
);

it.each(cases)(
  '$status, met by a $place.kind of $place.upstream, gives $code and nothing else',
  async ({ status, code, times, place }) => {
    const { faulted, upstream, kind, same, other } = place;
    const answer = failure(upstream, status, 'CODE: in the words of the upstream');
    const { body, sent } = await run(place, answer);
    const begin: Readonly<Record<number, string>> = {
      401: `The credential for ${upstream} was refused: `,
      424: 'The service is not running: ',
    };
    const shown = `${begin[status] ?? ''}in the words of the upstream.`;
    const whole = { ...same.data, ...faulted.data, ...other.data };
    expect(sent).toBe(times);
    if (code.endsWith('!')) {
      const [field = '', member = ''] = faulted.path;
      const userErrors = [{ code: code.slice(0, -1), message: shown, field: null }];
      expect(body).toEqual({ data: { ...whole, [field]: { [member]: null, userErrors } } });
      return;
    }
    expect(body.data).toEqual(whole);
    const [{ message, path, extensions }, ...others] = body.errors;
    expect([path, others]).toEqual([faulted.path, []]);
    const told = { name: upstream, operation: expect.any(String), status };
    expect(extensions).toEqual({
      ...{ code, retryable: retryable(code, place), requestId: expect.any(String) },
      upstream: upstream === 'management' ? { ...told, requestId: 'r-1' } : told,
    });
    // Below 500 the upstream speaks to the caller; beyond, it speaks of itself.
    if (status < 500) expect(message).toBe(shown);
    else expect(message).not.toContain('words');
    // Anything may have happened behind what answers 5xx, but for these two.
    expect(/The write may have been carried out\.$/.test(message)).toBe(
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
  ])('with %j says to wait %s seconds', async (headers, retryAfterSeconds) => {
    const { body } = await run(place, { status: 429, headers, body: '<p>Too many requests</p>' });
    const [{ extensions }, ...others] = body.errors;
    expect(others).toEqual([]);
    expect(extensions.code).toBe('RATE_LIMITED');
    expect(extensions.retryAfterSeconds).toBe(retryAfterSeconds);
  });
});

it('a refused credential is told without words of the upstream, too', async () => {
  const [place] = places;
  if (!place) throw new Error('There is no place');
  const { body } = await run(place, { status: 401, headers: {}, body: '' });
  expect(body.errors[0].message).toBe(`The credential for ${place.upstream} was refused.`);
});

const service = withIds('{ service(@service-1) { name } }');
const pipes = withIds('{ service(@service-1) { pipes { id } } }');
const ask = async (document: string, answer: unknown) => {
  answers = () => json(answer);
  return (await stack.query(document)).body;
};

it.each<readonly [document: string, answer: unknown, path: string]>([
  [pipes, { status: 200, result: { id: 'x' } }, 'service.pipes'],
  [pipes, { status: 200 }, 'service.pipes'],
  ['{ alerts { id } }', { data: null }, 'alerts'],
  ['{ alerts { id } }', {}, 'alerts'],
  ['{ alert(alertId: "a1") { id name } }', { data: 'x' }, 'alert'],
  [
    '{ alert(alertId: "a1") { threshold } }',
    { data: { id: 'a1', threshold: 'x' } },
    'alert.threshold',
  ],
  [service, null, 'service'],
  [service, [{ id: 'x' }], 'service'],
  ...[500, 300, 199, '201', null].map(
    (status) => [service, { status, result: { id: 'x' } }, 'service'] as const,
  ),
])(
  'an answer of success that is none gives UPSTREAM_BAD_RESPONSE: %s with %j',
  async (document, answer, at) => {
    const { errors } = await ask(document, answer);
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false };
    expect(errors).toMatchObject([{ path: at.split('.'), extensions }]);
    const odd = 'The upstream sent a value for "threshold" that does not fit the schema.';
    if (at === 'alert.threshold') expect(errors[0].message).toBe(odd);
  },
);

it.each([200, 299])('an answer of success may have %i in its envelope', async (status) => {
  const answer = { status, result: { id: 'x', name: 'n' } };
  expect(await ask(service, answer)).toEqual({ data: { service: { name: 'n' } } });
});
