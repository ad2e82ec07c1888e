import { rows } from './rows/index.ts';

/**
 * The observability interface, with a row for each operation. The row files have the shapes of answers and bodies as the
 * reference's section "Resources and their fields" lists them. The reference calls each path parameter `id`.
 */
export const observabilityOperations = rows;

export type ObservabilityOperations = typeof observabilityOperations;
