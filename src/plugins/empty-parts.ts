import { isAsyncIterable } from 'graphql-yoga';
import { acceptedOf, multipart } from '../negotiation.ts';
import type { Callers } from './caller.ts';
import type { Part } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Clients take it for a part that brings nothing. With a second member, Apollo Client 3 would take its data for gone. */
const emptyPart: Part = { hasNext: true };

/** The parts, with an empty one wherever none has come for so long, in milliseconds. */
const withEmptyParts = (
  parts: AsyncIterable<Part>,
  silenceMs: number,
): AsyncIterableIterator<Part> => {
  const iterator = parts[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Part>> | undefined;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      next ??= iterator.next();
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), silenceMs);
      });
      try {
        const came = await Promise.race([next, silence]);
        if (!came) return { done: false, value: emptyPart };
        next = undefined;
        return came;
      } finally {
        clearTimeout(timer);
      }
    },
    return: async () => {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
};

/**
 * Keeps the connection of a response in `multipart/mixed` that waits for its next part: proxies close one on which nothing
 * moves for 30 to 60 seconds. Yoga sends comments on event streams by itself.
 */
export const useEmptyParts = (callers: Callers, silenceMs: number): GatewayPlugin => ({
  onResultProcess: ({ request, serverContext: { req }, result, setResult }) => {
    if (!isAsyncIterable(result) || callers.get(req)?.isStream) return;
    // Yoga prefers it to events.
    if (!acceptedOf(request).mediaTypes.includes(multipart)) return;
    setResult(withEmptyParts(result, silenceMs));
  },
});
