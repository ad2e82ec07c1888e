import type { GatewayPlugin } from './plugin.ts';

/** Responses that are read while they grow. */
const streams = /^(?:text\/event-stream|multipart\/mixed)\b/;

/** Tells nginx, and proxies that follow it, to hand on what a stream sends at once, however they are set up. */
export const useUnbuffered = (): GatewayPlugin => ({
  onResponse: ({ response: { headers } }) => {
    if (streams.test(headers.get('content-type') ?? '')) headers.set('x-accel-buffering', 'no');
  },
});
