import { expect, it, onTestFinished } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Arrived, type Reaction, startFaultBackend } from '../support/faults/backend.ts';
import { faultKinds } from '../support/faults/kinds.ts';
import { type Place, places } from '../support/faults/places.ts';
import { type AnswerError, json, startStack } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';

/** Reacts so to the faulted call, and answers all others; the port is closed once these have been answered, where it refuses. */
const createReact = ({ faulted, same }: Place, reaction: Reaction | 'refuse') => {
  const answers = { ...same.answers, ...faulted.answers };
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

const cases = faultKinds.flatMap((kind) => places.map((place) => ({ kind, place })));

it.each(cases)(
  '$kind.title, met by a $place.kind of $place.upstream, costs its own field alone, and no write is sent twice',
  async ({ kind, place }) => {
    // Time goes on once all that does answer has answered.
    const clock = kind.slow && stopTime();
    const { upstream, faulted, same, other } = place;
    const isWrite = place.kind === 'mutation';
    const reaction = kind.react(upstream);
    const backend = await startFaultBackend(createReact(place, reaction));
    const intact = answering(other.answers);
    const stack = await startStack({
      management: intact,
      observability: intact,
      config: {
        [`${upstream}Url`]: backend.url,
        ...(kind.slow && { writeTimeoutMs: 25_000 }),
        // With one connection the call that is refused comes after all that are answered.
        ...(reaction === 'refuse' && { upstreamConnections: 1 }),
      },
    });
    onTestFinished(() => stack.close());
    // Runs first: the gateway waits for what the backend may never answer.
    onTestFinished(backend.close);
    // What follows a write that takes all the time there is cannot be answered.
    const parts = kind.slow ? [same, other, faulted] : [same, faulted, other];
    const document = `${place.kind} { ${parts.map(({ field }) => field).join('\n')} }`;
    const answer = stack.query(document);
    const { status, body, text } = await (clock ? clock.until(answer) : answer);

    expect(status).toBe(200);
    expect(body.data).toEqual({ ...same.data, ...faulted.data, ...other.data });
    const errors: readonly AnswerError[] = body.errors;
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [faulted.path, kind.code],
    ]);
    expect(errors[0]).toMatchObject({
      message: isWrite
        ? expect.stringMatching(kind.ofWrites)
        : expect.not.stringMatching(/carried out|not sent/),
      extensions: {
        upstream: { name: upstream },
        // What was never sent may be sent again; what was, of reads alone.
        retryable: reaction === 'refuse' || (!isWrite && kind.code !== 'UPSTREAM_BAD_RESPONSE'),
      },
    });
    expect(text).not.toMatch(/127\.0\.0\.1|must not be seen|elsewhere|Sign in|went wrong/);
    const times = reaction === 'refuse' ? 0 : isWrite ? 1 : kind.reads;
    expect(backend.calls.toSorted()).toEqual(
      [
        ...Object.keys({ ...same.answers, ...faulted.answers }),
        ...Array<string>(times).fill(faulted.call),
      ].toSorted(),
    );
    expect(stack.callList()).toEqual(Object.keys(other.answers));
  },
);
