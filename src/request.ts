import { randomUUID } from 'node:crypto';
import { credentialsOf } from './credentials.ts';
import { createCallLog } from './upstream/call-log.ts';
import type { UpstreamCaller } from './upstream/index.ts';

// W3C Trace Context: version ff and identifiers of zeros alone are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const listMember = '[a-z0-9][a-z0-9_*/@-]{0,255}=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{1,256}';
const tracestate = new RegExp(`^(?=.{1,512}$)${listMember}([ \\t]*,[ \\t]*${listMember}){0,31}$`);

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
