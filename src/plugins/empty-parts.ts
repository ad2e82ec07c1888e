import { isAsyncIterable } from 'graphql-yoga';
import { acceptedOf, multipart } from '../negotiation.ts';
import type { Callers } from './caller.ts';
import type { Part } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Clients take this for a part without changes. If it had another member, Apollo Client 3 would drop its data. */
const emptyPart: Part = { hasNext: true };

/** The parts, with an empty part after each silence of this number of milliseconds. */
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
        const result = await Promise.race([next, silence]);
        if (!result) return { done: false, value: emptyPart };
        next = undefined;
        return result;
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
 * Keeps the connection of a `multipart/mixed` response open while it waits for its next part: proxies close a
 * connection that is silent for 30 to 60 seconds. Yoga already sends comments on event streams.
 */
export const useEmptyParts = (callers: Callers, silenceMs: number): GatewayPlugin => ({
  onResultProcess: ({ request, serverContext: { req }, result, setResult }) => {
    if (!isAsyncIterable(result) || callers.get(req)?.isStream) return;
    // Yoga prefers `multipart/mixed` to events.
    if (!acceptedOf(request).mediaTypes.includes(multipart)) return;
    setResult(withEmptyParts(result, silenceMs));
  },
});
