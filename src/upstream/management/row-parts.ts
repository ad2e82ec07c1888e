import { addingIds, onlyIn } from '../operation.ts';

/** The profiles that have what only ClickHouse Cloud has. */
export const cloudProfiles = ['clickhouse-cloud'] as const;

export const inCloud = onlyIn(...cloudProfiles);

export const inOrganization = addingIds('organizationId');

export const inService = addingIds('organizationId', 'serviceId');
