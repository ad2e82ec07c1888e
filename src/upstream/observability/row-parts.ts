import { onlyIn } from '../operation.ts';

/** HyperDX, wherever it runs. */
export const hyperdxProfiles = ['hyperdx', 'clickstack-cloud'] as const;
export const inHyperdx = onlyIn(...hyperdxProfiles);
