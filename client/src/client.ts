import { type Answer, errorOf, readBody } from './answer.ts';
import type { TypedDocumentString } from './document.ts';
import type { Newest } from './newest.ts';
import type { Arguments, ClientOptions, SubscribeOptions } from './options.ts';
import { createSender, idOf, networkError, noAnswer } from './sender.ts';
import { createSubscriber } from './subscribe.ts';
import { untilWhole } from './until-whole.ts';

/**
 * What a subscription gives, for one reader: `next` waits for an event that it has not given yet, and skips those before
 * the newest. `return` ends the subscription and closes its connection.
 */
export type Subscription<Data> = Newest<Answer<Data>>;

/** Sends documents to one gateway; a plain string, whose types nobody knows, is none. */
export interface Client {
  /**
   * The data of an answer.
   *
   * @throws SluiceError where the answer has errors, and where `execute` has no answer to give.
   * @throws unknown the signal's reason, or what a function that gives a credential throws.
   */
  readonly request: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Data>;
  /**
   * An answer with its errors beside what data there is.
   *
   * @throws SluiceError where no GraphQL answer came, or a credential cannot be sent.
   * @throws unknown the signal's reason, or what a function that gives a credential throws.
   */
  readonly execute: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Answer<Data>>;
  /**
   * What a query selects, as far as it could be read, and again until nothing is missing for want of time: the last answer
   * has no `extensions.progress`. Sent with the first `next`; sent again while the connection fails or the gateway is busy.
   *
   * `next` rejects with a SluiceError where asking again would not help, and with the signal's reason.
   *
   * @throws TypeError where the document has a mutation.
   */
  readonly untilWhole: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>, SubscribeOptions>
  ) => Newest<Answer<Data>>;
  /**
   * What a subscription selects, now and whenever it has changed. Sent with the first `next`; subscribes again by itself
   * where the connection is lost and where the gateway ends the stream without an error.
   *
   * `next` rejects with a SluiceError where it fails for good, and with the signal's reason.
   *
   * @throws TypeError where the document has no subscription.
   */
  readonly subscribe: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>, SubscribeOptions>
  ) => Subscription<Data>;
}

const bodyOf = (query: object, variables: unknown): string => JSON.stringify({ query, variables });

/**
 * A client, which keeps nothing of what it sends and receives, and sends credentials to `url` alone.
 *
 * @throws TypeError where `url` is none, or holds a user or a password, or `headers` cannot be sent.
 */
export const createClient = (options: ClientOptions): Client => {
  const send = createSender(options);
  const subscribe = createSubscriber(send, options);

  const ask = async <Data>(
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data>> => {
    const accept = 'application/graphql-response+json, application/json';
    const response = await send({ body, accept, signal });
    const text = await response.text().catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw networkError(cause, response);
    });
    const read = readBody(text);
    const requestId = idOf(response) ?? read?.errors[0]?.requestId;
    if (!read) throw noAnswer('GraphQL answer', response, requestId);
    return { ...read, data: read.data as Data | null, requestId, status: response.status };
  };

  const execute: Client['execute'] = async (document, ...[variables, { signal } = {}]) =>
    ask(bodyOf(document, variables), signal);

  return {
    execute,
    request: async (document, ...rest) => {
      const answer = await execute(document, ...rest);
      const error = errorOf(answer);
      if (error) throw error;
      // Without errors there is data: `readBody` takes no other answer.
      return answer.data as Exclude<typeof answer.data, null>;
    },
    untilWhole: (document, ...[variables, given = {}]) => {
      // It would be carried out each time.
      if (/\bmutation\b/.test(String(document))) throw new TypeError('The document has a mutation');
      const body = bodyOf(document, variables);
      return untilWhole((signal) => ask(body, signal), given);
    },
    subscribe: (document, ...[variables, given = {}]) => {
      if (!/\bsubscription\b/.test(String(document)))
        throw new TypeError('The document has no subscription');
      return subscribe(bodyOf(document, variables), given) as Subscription<never>;
    },
  };
};
