import { mediaTypeOf, streamTypes } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Tells nginx, and proxies that follow its convention, to pass on a stream's data at once, whatever is configured. */
export const useUnbuffered = (): GatewayPlugin => ({
  onResponse: ({ response: { headers } }) => {
    const mediaType = mediaTypeOf(headers.get('content-type'));
    if (streamTypes.some((type) => type === mediaType)) headers.set('x-accel-buffering', 'no');
  },
});
