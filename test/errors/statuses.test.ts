import { afterEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import type { UpstreamName } from '../support/faults/kinds.ts';
import { type Place, places } from '../support/faults/places.ts';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';

interface StatusRow {
  readonly status: number;
  /** Of a query's error. */
  readonly query: string;
  /** Of a mutation's error, or of its `userErrors`. */
  readonly mutation: string | { readonly userError: string };
  /** How often a read is sent. */
  readonly reads: 1 | 3;
}

/** Design, section 4, a row a status. */
const table: readonly StatusRow[] = [
  { status: 400, query: 'BAD_USER_INPUT', mutation: { userError: 'REJECTED' }, reads: 1 },
  { status: 401, query: 'UNAUTHENTICATED', mutation: 'UNAUTHENTICATED', reads: 1 },
  { status: 403, query: 'FORBIDDEN', mutation: 'FORBIDDEN', reads: 1 },
  { status: 404, query: 'NOT_FOUND', mutation: 'NOT_FOUND', reads: 1 },
  { status: 409, query: 'UPSTREAM_ERROR', mutation: { userError: 'CONFLICT' }, reads: 1 },
  { status: 422, query: 'BAD_USER_INPUT', mutation: { userError: 'REJECTED' }, reads: 1 },
  {
    status: 424,
    query: 'SERVICE_NOT_RUNNING',
    mutation: { userError: 'SERVICE_NOT_RUNNING' },
    reads: 1,
  },
  { status: 429, query: 'RATE_LIMITED', mutation: 'RATE_LIMITED', reads: 1 },
  { status: 500, query: 'UPSTREAM_ERROR', mutation: 'UPSTREAM_ERROR', reads: 1 },
  { status: 502, query: 'UPSTREAM_UNAVAILABLE', mutation: 'UPSTREAM_UNAVAILABLE', reads: 3 },
  { status: 503, query: 'UPSTREAM_UNAVAILABLE', mutation: 'UPSTREAM_UNAVAILABLE', reads: 3 },
  { status: 504, query: 'UPSTREAM_TIMEOUT', mutation: 'UPSTREAM_TIMEOUT', reads: 3 },
  // Of Cloudflare, which stands before a service.
  { status: 520, query: 'UPSTREAM_UNAVAILABLE', mutation: 'UPSTREAM_TIMEOUT', reads: 3 },
  { status: 524, query: 'UPSTREAM_TIMEOUT', mutation: 'UPSTREAM_TIMEOUT', reads: 3 },
  ...[521, 522, 523, 525, 526, 530].map(
    (status): StatusRow => ({
      status,
      query: 'UPSTREAM_UNAVAILABLE',
      mutation: 'UPSTREAM_UNAVAILABLE',
      reads: 3,
    }),
  ),
  // Of nobody that is known.
  ...[527, 528, 529].map(
    (status): StatusRow => ({
      status,
      query: 'UPSTREAM_ERROR',
      mutation: 'UPSTREAM_ERROR',
      reads: 1,
    }),
  ),
];

/** Whether the very same request may be sent again: what may have been written must not be. */
const retryable = (code: string, { kind }: Place): boolean =>
  code === 'RATE_LIMITED' ||
  (kind === 'query' && (code === 'UPSTREAM_UNAVAILABLE' || code === 'UPSTREAM_TIMEOUT'));

const words = 'CODE: in the words of the upstream';
/** The same without the upstream's own code, as a sentence. */
const shownOf = (status: number): string =>
  status === 424
    ? 'The service is not running: in the words of the upstream.'
    : 'in the words of the upstream.';

/** Whether a write that meets it may have been carried out: anything may have happened behind what answers 5xx. */
const mayBeCarriedOut = (status: number): boolean => status >= 500 && status !== 503;

const failure = (upstream: UpstreamName, status: number): Answer =>
  upstream === 'management'
    ? json({ status, error: words, requestId: 'r-1' }, status)
    : json({ message: words }, status);

let stack: Stack;

const run = async ({ upstream, kind, faulted, same, other }: Place, status: number) => {
  const answers = answering({
    ...same.answers,
    ...faulted.answers,
    ...other.answers,
    [faulted.call]: failure(upstream, status),
  });
  stack = await startStack({ management: answers, observability: answers });
  const fields = [same, faulted, other].map(({ field }) =>
    field.replace('{ code }', '{ code message field }'),
  );
  const { status: httpStatus, body } = await stack.query(`${kind} { ${fields.join('\n')} }`);
  expect(httpStatus).toBe(200);
  return {
    body,
    sent: stack.callList().filter((call) => call === faulted.call).length,
  };
};

const whole = ({ same, faulted, other }: Place) => ({
  ...same.data,
  ...faulted.data,
  ...other.data,
});

const cases = table.flatMap((row) =>
  places.filter(({ place }) => place !== 'a link below a list').map((place) => ({ ...row, place })),
);

it('there are 92 cases', () => {
  expect(cases).toHaveLength(92);
});

describe.each(cases)('$status, met by $place.place of $place.upstream,', (row) => {
  const { status, place } = row;
  const { faulted, upstream, kind } = place;
  const code = row[kind];
  afterEach(() => stack.close());

  it(`gives ${typeof code === 'string' ? code : `the user error ${code.userError}`}, and nothing else`, async () => {
    const { body, sent } = await run(place, status);
    expect(sent).toBe(kind === 'query' ? row.reads : 1);
    if (typeof code !== 'string') {
      const [field = '', member = ''] = faulted.path;
      const refused = {
        [member]: null,
        userErrors: [{ code: code.userError, message: shownOf(status), field: null }],
      };
      expect(body).toEqual({ data: { ...whole(place), [field]: refused } });
      return;
    }
    expect(body.data).toEqual(whole(place));
    expect(body.errors).toHaveLength(1);
    const [error] = body.errors;
    expect(error.path).toEqual(faulted.path);
    expect(error.extensions).toEqual({
      code,
      upstream: {
        name: upstream,
        operation: expect.any(String),
        status,
        ...(upstream === 'management' && { requestId: 'r-1' }),
      },
      retryable: retryable(code, place),
      requestId: expect.any(String),
    });
    // Below 500 the upstream speaks to the caller; beyond, it speaks of itself.
    if (status < 500) expect(error.message).toBe(shownOf(status));
    else expect(error.message).not.toContain('words');
    expect(/It may have been carried out\.$/.test(error.message)).toBe(
      kind === 'mutation' && mayBeCarriedOut(status),
    );
  });
});
