import { describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Arrived, type Reaction, startFaultBackend } from '../support/faults/backend.ts';
import { type FaultKind, faultKinds } from '../support/faults/kinds.ts';
import { type Place, places } from '../support/faults/places.ts';
import { type AnswerError, json, startStack } from '../support/harness.ts';

// Long enough for all that does answer, on a slow machine too.
const deadlineMs = 1_500;

const cases = faultKinds.flatMap((kind) => places.map((place) => ({ kind, place })));

const reactionTo = ({ kind, place }: { kind: FaultKind; place: Place }) => {
  const { upstream, faulted, same } = place;
  const answers = { ...same.answers, ...faulted.answers };
  const reaction = kind.react(upstream);
  let toCome = Object.keys(answers).length;
  return ({ method, path, stopListening }: Arrived): Reaction => {
    const call = `${method} ${path}`;
    if (call === faulted.call && reaction !== 'refuse') return reaction;
    const answer = answers[call] ?? json({ unexpected: call }, 400);
    toCome -= 1;
    if (toCome > 0 || reaction !== 'refuse') return answer;
    stopListening();
    return { ...answer, headers: { ...answer.headers, connection: 'close' } };
  };
};

const run = async ({ kind, place }: { kind: FaultKind; place: Place }) => {
  const { upstream, faulted, same, other } = place;
  const backend = await startFaultBackend(reactionTo({ kind, place }));
  const intact = answering(other.answers);
  const refused = kind.react(upstream) === 'refuse';
  const stack = await startStack({
    management: intact,
    observability: intact,
    config: {
      [`${upstream}Url`]: backend.url,
      ...(kind.slow && { operationTimeoutMs: deadlineMs, writeTimeoutMs: deadlineMs }),
      // With one connection the call that is refused comes after all that are answered.
      ...(refused && { upstreamConnections: 1 }),
    },
  });
  try {
    // What follows a write that takes all the time there is cannot be answered.
    const parts = kind.slow ? [same, other, faulted] : [same, faulted, other];
    const document = `${place.kind} { ${parts.map(({ field }) => field).join('\n')} }`;
    const answer = await stack.query(document);
    return { ...answer, calls: backend.calls.toSorted(), others: stack.callList(), refused };
  } finally {
    await backend.close();
    await stack.close();
  }
};

const timesOf = ({ reads }: FaultKind, place: Place, refused: boolean): number => {
  if (refused) return 0;
  return place.kind === 'mutation' ? 1 : reads;
};

it('there are 96 cases', () => {
  expect(cases).toHaveLength(96);
});

// At once, since those that wait for a deadline do nothing else.
describe.concurrent.for(cases)(
  '$kind.title, met by $place.place of $place.upstream,',
  ({ kind, place }) => {
    it('costs its own field alone, and no write is sent twice', async () => {
      const { faulted, same, other } = place;
      const { status, body, text, calls, others, refused } = await run({ kind, place });
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...same.data, ...faulted.data, ...other.data });
      const errors: readonly AnswerError[] = body.errors;
      expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
        [faulted.path, kind.code],
      ]);
      expect(errors[0]?.extensions).toMatchObject({
        upstream: { name: place.upstream },
        // What was never sent may be sent again; what was, of reads alone.
        retryable: refused || (place.kind === 'query' && kind.code !== 'UPSTREAM_BAD_RESPONSE'),
      });
      expect(text).not.toMatch(/127\.0\.0\.1|must not be seen|elsewhere|Sign in|went wrong/);
      const times = timesOf(kind, place, refused);
      expect(calls).toEqual(
        [
          ...Object.keys({ ...same.answers, ...faulted.answers }),
          ...Array<string>(times).fill(faulted.call),
        ].toSorted(),
      );
      expect(others).toEqual(Object.keys(other.answers));
    });
  },
);
