import '../support/client/built.ts';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, type SluiceError, TypedDocumentString } from '../../client/src/index.ts';
import { untilWhole } from '../../examples/apollo-links.ts';

type Data = { readonly pipes: readonly (number | null)[] | null };
const document = new TypedDocumentString<Data, Record<string, never>>('{ pipes }');

const refusal = (code: string, retryable: boolean, retryAfterSeconds?: number) => ({
  errors: [{ message: 'not now', extensions: { code, retryable, retryAfterSeconds } }],
});
/** An answer with the first of three reads. */
const part = (ready: number, completeInSeconds = 1) => ({
  data: { pipes: [1, 2, 3].map((pipe) => (pipe > ready ? null : pipe)) },
  ...refusal('RATE_LIMITED', true, 300),
  extensions: { progress: { ready, wanted: 3, completeInSeconds } },
});
const whole = { data: { pipes: [1, 2, 3] } };

/** A gateway that answers with each of these in turn, a text with status 502; and all that is seen of it, times in seconds. */
const serve = (answers: readonly (object | string)[]) => {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;
  vi.useFakeTimers({ toFake: [...toFake] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const began = Date.now();
  const seen = { sent: [] as number[], read: [] as string[], tried: [] as unknown[], end: '' };
  const bodies = new Set<unknown>();
  const send: typeof fetch = async (_, init) => {
    const answer = answers[seen.sent.length];
    seen.sent.push((Date.now() - began) / 1000);
    bodies.add(init?.body);
    if (answer === undefined) throw new Error('one request too many');
    return typeof answer === 'string'
      ? new Response(answer, { status: 502 })
      : Response.json(answer);
  };
  /** Notes an answer as its pipes, and how many of the reads it has. */
  const note = (data: Data | null | undefined, extensions: unknown) => {
    const { ready = 'all' } = Object(Object(extensions).progress);
    seen.read.push(`${data?.pipes?.join('') ?? ''} ${ready}`);
  };
  const client = createClient({ url: 'http://127.0.0.1/', fetch: send });
  return { client, send, seen, note, bodies };
};

/** Reads until told to leave. */
type Read = (served: ReturnType<typeof serve>) => () => unknown;

const readByClient: Read = ({ client, seen, note }) => {
  const onRetry = (why?: SluiceError) => seen.tried.push(why?.code);
  const reading = client.untilWhole(document, {}, { onRetry });
  const read = async () => {
    for await (const { data, extensions } of reading) note(data, extensions);
    expect(await reading.next()).toEqual({ done: true, value: undefined });
  };
  read().catch((reason) => {
    seen.end = reason.code;
  });
  return () => reading.return();
};

const readByApollo: Read = ({ send, note }) => {
  const link = untilWhole.concat(new HttpLink({ uri: '/', fetch: send }));
  const reading = new ApolloClient({ link, cache: new InMemoryCache() })
    .watchQuery<Data>({ query: gql(String(document)), errorPolicy: 'all' })
    .subscribe(({ data, error }) => {
      if (data) note(data as Data, CombinedGraphQLErrors.is(error) ? error.extensions : {});
    });
  return () => reading.unsubscribe();
};

describe.each([
  ['client.untilWhole', readByClient],
  ['the link of examples/apollo-links.ts', readByApollo],
])('%s', (_, read) => {
  it('gives each answer until one is whole, after the seconds that each tells, 1 to 10', async () => {
    const served = serve([part(0, 0), part(1, 4), part(2, 3600), whole]);
    read(served);
    await vi.advanceTimersByTimeAsync(60_000);
    const fuller = [' 0', '1 1', '12 2', '123 all'].map((each) => expect.stringContaining(each));
    expect(served.seen).toEqual({ sent: [0, 1, 5, 15], read: fuller, tried: [], end: '' });
    expect(served.bodies.size).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends nothing once its reader has left', async () => {
    const served = serve([part(1, 10)]);
    const leave = read(served);
    await vi.advanceTimersByTimeAsync(1000);
    leave();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(served.seen).toMatchObject({ sent: [0], read: ['1 1'] });
    expect(vi.getTimerCount()).toBe(0);
  });
});

const partly = { data: { pipes: [null] }, ...refusal('FORBIDDEN', false) };
const busy = refusal('LIMIT_EXCEEDED', true);
const invalid = refusal('GRAPHQL_VALIDATION_FAILED', false);
const passing = ['BAD_ANSWER', 'LIMIT_EXCEEDED', 'BAD_ANSWER'];

it.each([
  ['ends with a whole answer, be it with errors', [partly], [' all'], [0], [], ''],
  [
    'tries again after what passes, waits from anew after an answer, and gives nothing of it',
    ['<html>', busy, part(1), '<html>', whole],
    ['1 1', '123 all'],
    [0, 0.5, 1.5, 2.5, 3],
    passing,
    '',
  ],
  ['throws after a refusal', [part(1), invalid], ['1 1'], [0, 1], [], 'GRAPHQL_VALIDATION_FAILED'],
  ['throws after something else', [part(1), {}], ['1 1'], [0, 1], [], 'BAD_ANSWER'],
] as const)('client.untilWhole %s', async (_, given, read, sent, tried, end) => {
  const served = serve(given);
  readByClient(served);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(served.seen).toEqual({ sent, read, tried, end });
});

it('client.untilWhole sends nothing before it is asked for', async () => {
  const { client, seen } = serve([]);
  await client.untilWhole(document).return();
  expect(seen.sent).toEqual([]);
});
