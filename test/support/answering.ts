import { type Answer, type Answering, type Call, json } from './harness.ts';

type Reply = Answer | ((call: Call) => Answer);

/** Answers by `METHOD /path`; any other call gets a 404 with a body that fits both interfaces. */
export const answering =
  (replies: Readonly<Record<string, Reply>>): Answering =>
  (call) => {
    const reply = replies[`${call.method} ${call.path}`] ?? noSuchThing;
    return typeof reply === 'function' ? reply(call) : reply;
  };

/** A 404 for a missing object, not for a missing route. */
export const noSuchThing = json(
  { status: 404, error: 'NOT_FOUND: gone', message: 'gone', requestId: 'r-404' },
  404,
);
