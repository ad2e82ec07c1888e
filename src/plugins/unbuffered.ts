import { mediaTypeOf, streamTypes } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Tells nginx, and proxies that follow its convention, to pass on the data of a stream at once, whatever their
 * configuration.
 */
export const useUnbuffered = (): GatewayPlugin => ({
  onResponse: ({ response: { headers } }) => {
    const mediaType = mediaTypeOf(headers.get('content-type'));
    if (streamTypes.some((type) => type === mediaType)) headers.set('x-accel-buffering', 'no');
  },
});
