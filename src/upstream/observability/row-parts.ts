import { onlyIn } from '../operation.ts';

/** HyperDX, wherever it runs. */
export const inHyperdx = onlyIn('hyperdx', 'clickstack-cloud');
