import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

const message =
  'Too many responses wait for clients that read slowly. Nothing was carried out; retry in a few seconds.';

/**
 * Refuses operations while responses that wait for slow clients use too much memory. The check comes before the
 * execution, so that no mutation is carried out whose response would be refused.
 */
export const useUnsentLimit = (callers: Callers, isFull: () => boolean): GatewayPlugin => ({
  onRequestParse: ({ serverContext: { req }, endResponse, fetchAPI }) => {
    if (!isFull()) return;
    const requestId = callers.get(req)?.caller.requestId;
    const extensions = {
      ...{ code: 'LIMIT_EXCEEDED', limit: 'unsentBytes', requestId },
      ...{ retryable: true, retryAfterSeconds: 5 },
    };
    endResponse(
      fetchAPI.Response.json(
        { errors: [{ message, extensions }] },
        { status: 503, headers: { 'retry-after': '5' } },
      ),
    );
  },
});
