import type { Profile } from '../../profile.ts';
import type { ObservabilityOperations } from '../operations.ts';

/** HyperDX's external API, as servers of January and of August 2026 answer. */
export const hyperdx: Profile<ObservabilityOperations> = { name: 'hyperdx' };
