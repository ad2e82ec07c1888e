import { type Answer, type Answering, json } from './harness.ts';

type Reply = Answer | (() => Answer);

/** Answers by `METHOD /path`; anything else is no such thing, in the words of either interface. */
export const answering =
  (replies: Readonly<Record<string, Reply>>): Answering =>
  ({ method, path }) => {
    const reply = replies[`${method} ${path}`] ?? noSuchThing;
    return typeof reply === 'function' ? reply() : reply;
  };

/** A 404 for a thing, not for a route. */
export const noSuchThing = json(
  { status: 404, error: 'NOT_FOUND: gone', message: 'gone', requestId: 'r-404' },
  404,
);
