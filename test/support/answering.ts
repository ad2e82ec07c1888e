import { type Answer, type Answering, json } from './harness.ts';

type Reply = Answer | (() => Answer);

/** Answers by `METHOD /path`; any other call gets a 404 with a body that fits both interfaces. */
export const answering =
  (replies: Readonly<Record<string, Reply>>): Answering =>
  ({ method, path }) => {
    const reply = replies[`${method} ${path}`] ?? noSuchThing;
    return typeof reply === 'function' ? reply() : reply;
  };

/** A 404 for a missing object, not for a missing route. */
export const noSuchThing = json(
  { status: 404, error: 'NOT_FOUND: gone', message: 'gone', requestId: 'r-404' },
  404,
);
