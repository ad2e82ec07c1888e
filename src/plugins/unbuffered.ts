import { mediaTypeOf, streamTypes } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Tells nginx, and proxies that follow it, to hand on what a stream sends at once, however they are set up. */
export const useUnbuffered = (): GatewayPlugin => ({
  onResponse: ({ response: { headers } }) => {
    const mediaType = mediaTypeOf(headers.get('content-type'));
    if (streamTypes.some((type) => type === mediaType)) headers.set('x-accel-buffering', 'no');
  },
});
