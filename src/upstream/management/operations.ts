import { rows } from './rows/index.ts';
import { updatePipeStateWith } from './rows/pipe.ts';

/**
 * The management interface, with a row for each operation. The row files have the shapes of answers and bodies as the
 * reference's section "Resources and their fields" lists them; what stands below "beyond the reference" exists only in
 * ClickHouse Cloud. An absent member of a body is not sent, and null is sent as null. Since the reference does not say which
 * members are required, none is. Rules are those that can be checked on a request alone: absent and null members break only
 * rules that require something, and what depends on tiers, paid plans, the first service of a warehouse or a pipe's state is
 * left to the upstream.
 *
 * @param commandField the member that carries a pipe's state command
 */
export const managementOperations = (commandField: string) => ({
  ...rows,
  updatePipeState: updatePipeStateWith(commandField),
});

export type ManagementOperations = ReturnType<typeof managementOperations>;
