import { type Answer, errorOf, readBody } from './answer.ts';
import type { TypedDocumentString } from './document.ts';
import type { Newest } from './newest.ts';
import type { Arguments, ClientOptions, SubscribeOptions } from './options.ts';
import { createSender, idOf, networkError, noAnswer } from './sender.ts';
import { createSubscriber } from './subscribe.ts';
import { untilWhole } from './until-whole.ts';

/**
 * The events of a subscription, for one reader. `next` returns the newest event that it has not returned yet, or waits for
 * one; older events are skipped. `return` ends the subscription and closes its connection.
 */
export type Subscription<Data> = Newest<Answer<Data>>;

/** Sends documents to one gateway. Plain strings are not accepted, since their types are unknown. */
export interface Client {
  /**
   * The data of an answer.
   *
   * @throws SluiceError if the answer has errors, or if `execute` would throw one.
   * @throws unknown the signal's reason, or the error of a function that gives a credential or headers.
   */
  readonly request: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Data>;
  /**
   * An answer with its errors and any data.
   *
   * @throws SluiceError if no GraphQL answer came, or a credential cannot be sent.
   * @throws unknown the signal's reason, or the error of a function that gives a credential or headers.
   */
  readonly execute: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Answer<Data>>;
  /**
   * The answers to a query that is sent again until all its reads were ready in time: the last answer has no
   * `extensions.progress`. The first `next` sends the query. It is also sent again after a failed connection, and while the
   * gateway is busy.
   *
   * `next` rejects with a SluiceError if asking again would not help, and with the signal's reason.
   *
   * @throws TypeError if the document has a mutation.
   */
  readonly untilWhole: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>, SubscribeOptions>
  ) => Newest<Answer<Data>>;
  /**
   * The current data of a subscription, and the data after each change. Subscribes at the first `next`; subscribes again
   * when the connection is lost, and when the gateway ends the stream without an error.
   *
   * `next` rejects with a SluiceError if the subscription fails permanently, and with the signal's reason.
   *
   * @throws TypeError if the document has no subscription.
   */
  readonly subscribe: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>, SubscribeOptions>
  ) => Subscription<Data>;
}

const bodyOf = (query: object, variables: unknown): string => JSON.stringify({ query, variables });

/**
 * A client that stores nothing that it sends or receives, and sends credentials only to `url`.
 *
 * @throws TypeError if `url` is invalid, or contains a user or a password, or `headers` cannot be sent.
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
    const read = readBody(text, response.status);
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
      // Without errors there is data: `readBody` accepts no other answer.
      return answer.data as Exclude<typeof answer.data, null>;
    },
    untilWhole: (document, ...[variables, given = {}]) => {
      // A mutation would be carried out each time that it is sent.
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
