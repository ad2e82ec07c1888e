import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

const message =
  'There are no WebSockets here. Subscriptions are answered with Server-Sent Events: send a POST or GET with the header "accept: text/event-stream".';

const isWebSocket = (upgrade: string | undefined): boolean =>
  upgrade?.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket') ?? false;

/** Tells clients that ask for a WebSocket to use an event stream. Other upgrades are ignored, as HTTP allows. */
export const useUpgrade = (callers: Callers): GatewayPlugin => ({
  onRequestParse: ({ serverContext: { req }, endResponse, fetchAPI }) => {
    if (!isWebSocket(req.headers.upgrade)) return;
    const requestId = callers.get(req)?.caller.requestId;
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
    // This header is a hint for clients that do not read the body; RFC 9110, section 15.5.22, requires it.
    const headers = { upgrade: 'HTTP/1.1', connection: 'upgrade, close' };
    endResponse(fetchAPI.Response.json(body, { status: 426, headers }));
  },
});
