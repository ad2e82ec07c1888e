import '../support/client/built.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, type SluiceError, TypedDocumentString } from '../../client/src/index.ts';
import { StopPipeDocument } from '../../client/src/operations.ts';
import { serveGraphql } from '../support/client/kit.ts';

const document = new TypedDocumentString<
  { readonly pipes: readonly (number | null)[] | null },
  Record<string, never>
>('{ pipes }');

const missing = (index: number) => ({
  message: 'not yet',
  path: ['pipes', index],
  extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 300 },
});

/** An answer with so many of three reads. */
const part = (ready: number, completeInSeconds = 0) => ({
  data: { pipes: [1, 2, 3].map((pipe) => (pipe > ready ? null : pipe)) },
  errors: [1, 2, 3].filter((pipe) => pipe > ready).map((pipe) => missing(pipe - 1)),
  extensions: { progress: { ready, wanted: 3, completeInSeconds } },
});
const whole = { data: { pipes: [1, 2, 3] } };

const refusal = (code: string, retryable: boolean) => ({
  errors: [{ message: 'no', extensions: { code, retryable } }],
});

/** A gateway that answers with each of these in turn; a text is a proxy's page. The client's waits take no time. */
const serve = async (answers: readonly (object | string)[]) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.setTimerTickMode('nextTimerAsync');
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const url = await serveGraphql(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push(Buffer.concat(chunks).toString());
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error('one request too many');
    if (typeof answer === 'string') response.writeHead(502).end(answer);
    else response.writeHead(200).end(JSON.stringify(answer));
  });
  return { client: createClient({ url }), asked };
};

describe('client.untilWhole', () => {
  it('gives each answer until one is whole, and sends the same each time', async () => {
    const { client, asked } = await serve([part(1), part(2), whole]);
    const answers: unknown[] = [];
    for await (const { data, extensions, errors } of client.untilWhole(document)) {
      const { ready, wanted } = extensions?.progress ?? {};
      answers.push([data?.pipes, ready, wanted, errors.map(({ code }) => code)]);
    }
    expect(answers).toEqual([
      [[1, null, null], 1, 3, ['RATE_LIMITED', 'RATE_LIMITED']],
      [[1, 2, null], 2, 3, ['RATE_LIMITED']],
      [[1, 2, 3], undefined, undefined, []],
    ]);
    expect(asked).toEqual(Array(3).fill('{"query":"{ pipes }"}'));
  });

  it('asks once where the first answer is whole, be it with errors', async () => {
    const refused = { ...missing(0), extensions: { code: 'FORBIDDEN', retryable: false } };
    const { client, asked } = await serve([{ data: { pipes: [null] }, errors: [refused] }]);
    const answers: unknown[] = [];
    for await (const { errors } of client.untilWhole(document)) answers.push(errors[0]?.code);
    expect(answers).toEqual(['FORBIDDEN']);
    expect(asked).toHaveLength(1);
  });

  it('tries again after what passes, and gives nothing of it', async () => {
    const { client, asked } = await serve([
      '<html>',
      part(1),
      refusal('LIMIT_EXCEEDED', true),
      whole,
    ]);
    const whys: (string | undefined)[] = [];
    const onRetry = (why: SluiceError | undefined) => whys.push(why?.code);
    const answers: unknown[] = [];
    for await (const { data } of client.untilWhole(document, {}, { onRetry })) {
      answers.push(data?.pipes);
    }
    expect(answers).toEqual([
      [1, null, null],
      [1, 2, 3],
    ]);
    expect(whys).toEqual(['BAD_ANSWER', 'LIMIT_EXCEEDED']);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['a document that is refused', refusal('GRAPHQL_VALIDATION_FAILED', false)],
    ['something that is no answer', { message: 'hello' }],
  ])('throws after %s', async (_, answer) => {
    const { client, asked } = await serve([part(1), answer]);
    const answers = client.untilWhole(document);
    expect((await answers.next()).value?.data).toEqual(part(1).data);
    await expect(answers.next()).rejects.toMatchObject({ name: 'SluiceError' });
    expect(await answers.next()).toEqual({ done: true, value: undefined });
    expect(asked).toHaveLength(2);
  });

  it('sends nothing before it is asked for, and nothing once its reader has left', async () => {
    const { client, asked } = await serve([part(1)]);
    await client.untilWhole(document).return();
    for await (const _ of client.untilWhole(document)) break;
    const controller = new AbortController();
    controller.abort(new Error('The user has left'));
    const late = client.untilWhole(document, {}, controller);
    await expect(late.next()).rejects.toBe(controller.signal.reason);
    expect(asked).toHaveLength(1);
  });

  it('takes no mutation, which would be carried out each time', async () => {
    const { client } = await serve([]);
    const input = { organizationId: 'o', serviceId: 's', pipeId: 'p' };
    expect(() => client.untilWhole(StopPipeDocument, { input })).toThrow(
      new TypeError('The document has a mutation'),
    );
  });
});

describe('between two requests', () => {
  /** A client on a clock of its own, and when it has sent its requests, in seconds. */
  const start = (answers: readonly object[]) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const began = Date.now();
    const sent: number[] = [];
    const client = createClient({
      url: 'http://127.0.0.1/',
      fetch: async () => {
        const answer = answers[Math.min(sent.length, answers.length - 1)];
        sent.push((Date.now() - began) / 1000);
        return new Response(JSON.stringify(answer));
      },
    });
    const reading = client.untilWhole(document);
    const first = reading.next();
    return { reading, first, sent };
  };

  it.each([
    [0, 1],
    [4, 4],
    [10, 10],
    [3600, 10],
  ])('of an answer that is complete in %i s, %i s pass', async (completeInSeconds, seconds) => {
    const { sent } = start([part(1, completeInSeconds), whole]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([0, seconds]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a reader who leaves ends the wait', async () => {
    const { reading, first, sent } = start([part(1, 10)]);
    await first;
    await vi.advanceTimersByTimeAsync(1000);
    await reading.return();
    expect(vi.getTimerCount()).toBe(0);
    expect(sent).toEqual([0]);
  });
});
