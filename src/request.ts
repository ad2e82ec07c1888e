import { randomUUID } from 'node:crypto';
import { credentialsOf } from './credentials.ts';
import { createCallLog } from './upstream/call-log.ts';
import type { UpstreamCaller } from './upstream/index.ts';

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const tracestate = /^[\x20-\x7e]{1,512}$/;

const traceHeadersOf = (headers: Headers): Record<string, string> => {
  const parent = headers.get('traceparent');
  const state = headers.get('tracestate');
  if (parent === null || !traceparent.test(parent)) return {};
  return state !== null && tracestate.test(state)
    ? { traceparent: parent, tracestate: state }
    : { traceparent: parent };
};

/** The caller's own id of the request where it is a harmless one, so that logs can be joined; else a new one. */
const requestIdOf = (headers: Headers): string => {
  const given = headers.get('x-request-id');
  return given !== null && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
};

/** What of an incoming request may reach an upstream (design, section 2); nothing else of it does. */
export const callerOf = (request: Request): UpstreamCaller => ({
  credentials: credentialsOf(request.headers),
  requestId: requestIdOf(request.headers),
  traceHeaders: traceHeadersOf(request.headers),
  calls: createCallLog(),
  signal: request.signal,
});
