import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Place, places, success, type UpstreamName } from '../support/faults/places.ts';
import {
  drip,
  hangUp,
  hint,
  reset,
  resetWithinBody,
  silence,
} from '../support/faults/reactions.ts';
import {
  type AnswerError,
  type Call,
  data,
  json,
  type Reaction,
  result,
  stackInTest,
} from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';

const record = { id: 'x1', name: 'must not be seen' };
const type = { 'content-type': 'application/json' };
const megabyte = 1024 * 1024;
const padded = (upstream: UpstreamName, bytes: number): string =>
  success(upstream, { ...record, name: 'x'.repeat(bytes) }).body;

/** By the code of their error, ways in which an upstream fails a call. `refuse`: the port is closed at the time of the call. */
const faults: Readonly<
  Record<string, Readonly<Record<string, (upstream: UpstreamName) => Reaction | 'refuse'>>>
> = {
  UPSTREAM_UNAVAILABLE: {
    'a refused connection': () => 'refuse',
    'a reset before the headers': () => reset,
    'a connection closed without an answer': () => hangUp,
    'a reset within the body': () => resetWithinBody,
  },
  // These last until the deadline of the operation.
  UPSTREAM_TIMEOUT: {
    'headers that do not come': () => silence,
    'informational answers alone': () => hint,
    'a dripping body': () => drip,
  },
  UPSTREAM_BAD_RESPONSE: {
    '204': () => ({ status: 204, body: '' }),
    'an empty 200': () => ({ headers: type, body: '' }),
    'HTML under 200': () => ({ headers: { 'content-type': 'text/html' }, body: '<h1>Sign in' }),
    'a redirect': () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' }),
    'bytes that are not HTTP':
      () =>
      ({ socket }) =>
        socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
    '100 Continue that was not asked for': (upstream) => (response) => {
      response.writeContinue();
      response.writeHead(200, type).end(success(upstream, record).body);
    },
    'truncated JSON': (upstream) => ({
      ...{ headers: type, body: success(upstream, record).body.slice(0, -3) },
    }),
    'a wrong envelope': (upstream) => (upstream === 'management' ? data(record) : result(record)),
    'an envelope without its payload': (upstream) =>
      json(upstream === 'management' ? { status: 200, requestId: 'r' } : {}),
    'an array for an object': (upstream) => success(upstream, [record]),
    'more than 10 MB': (upstream) => (response) => {
      const body = padded(upstream, 10 * megabyte);
      response.writeHead(200, type);
      // In pieces, so that there is no content-length.
      response.write(body.slice(0, megabyte));
      response.end(body.slice(megabyte));
    },
    'a gzip bomb': (upstream) => (response) => {
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' });
      response.end(gzipSync(padded(upstream, 40 * megabyte)));
    },
    'an error under HTTP 200': (upstream) =>
      upstream === 'management'
        ? json({ status: 500, error: 'INTERNAL: no', requestId: 'r', result: record })
        : json({ message: 'Something went wrong', error: { code: 500 } }),
  },
};

/** Reacts so to the faulted call, and answers all others; the port is closed once these have been answered, where it refuses. */
const createReact = ({ faulted, same }: Place, reaction: Reaction | 'refuse') => {
  const answers = { ...same.answers, ...faulted.answers };
  let toCome = Object.keys(answers).length;
  return ({ method, path, stopListening }: Call): Reaction => {
    const call = `${method} ${path}`;
    if (call === faulted.call && reaction !== 'refuse') return reaction;
    const answer = answers[call] ?? json({ unexpected: call }, 400);
    toCome -= 1;
    if (toCome > 0 || reaction !== 'refuse') return answer;
    stopListening();
    return { ...answer, headers: { ...answer.headers, connection: 'close' } };
  };
};

/** With these a change was carried out, and the object is read. */
const empty = ['204', 'an empty 200', 'an envelope without its payload'];

const large = ['more than 10 MB', 'a gzip bomb'];

const cases = Object.entries(faults).flatMap(([code, ways]) =>
  Object.entries(ways).flatMap(([fault, react]) =>
    places
      .filter(({ kind }) => kind !== 'mutation' || !empty.includes(fault))
      // A large one takes a second each time.
      .slice(0, large.includes(fault) ? 1 : undefined)
      .map((place) => ({ code, fault, reaction: react(place.upstream), place })),
  ),
);

it.each(cases)(
  '$fault, met by a $place.kind of $place.upstream, costs its own field alone, and no write is sent twice',
  async ({ code, fault, reaction, place }) => {
    const isSlow = code === 'UPSTREAM_TIMEOUT';
    // Time goes on once all that does answer has answered.
    const clock = isSlow && stopTime();
    const { upstream, faulted, same, other } = place;
    const isWrite = place.kind === 'mutation';
    const intact = answering(other.answers);
    const stack = await stackInTest({
      ...{ management: intact, observability: intact },
      [upstream]: createReact(place, reaction),
      config: {
        ...(isSlow && { writeTimeoutMs: 25_000 }),
        // With one connection the call that is refused comes after all that are answered.
        ...(reaction === 'refuse' && { upstreamConnections: 1 }),
      },
    });
    // What follows a write that takes all the time there is cannot be answered.
    const parts = isSlow ? [same, other, faulted] : [same, faulted, other];
    const document = `${place.kind} { ${parts.map(({ field }) => field).join('\n')} }`;
    const answer = stack.query(document);
    const { status, body, text } = await (clock ? clock.until(answer) : answer);

    expect(status).toBe(200);
    expect(body.data).toEqual({ ...same.data, ...faulted.data, ...other.data });
    const errors: readonly AnswerError[] = body.errors;
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [faulted.path, code],
    ]);
    const [, fate] =
      /The write (was not sent|may have been carried out)\.$/.exec(errors[0]?.message ?? '') ?? [];
    const ofWrites = reaction === 'refuse' ? 'was not sent' : 'may have been carried out';
    expect(fate).toBe(isWrite && fault !== 'a redirect' ? ofWrites : undefined);
    expect(errors[0]?.extensions).toMatchObject({
      upstream: { name: upstream },
      // What was never sent may be sent again; what was, of reads alone.
      retryable: reaction === 'refuse' || (!isWrite && code !== 'UPSTREAM_BAD_RESPONSE'),
    });
    expect(text).not.toMatch(/127\.0\.0\.1|must not be seen|elsewhere|Sign in|went wrong/);
    if (fault.startsWith('100')) expect(errors[0]?.message).toContain(': it sent 100 Continue');
    const ofReads = code === 'UPSTREAM_UNAVAILABLE' ? 3 : 1;
    const times = reaction === 'refuse' ? 0 : isWrite ? 1 : ofReads;
    const calls = [
      ...Object.keys({ ...same.answers, ...faulted.answers, ...other.answers }),
      ...Array<string>(times).fill(faulted.call),
    ];
    expect(stack.callList()).toEqual(calls.toSorted());
  },
);
