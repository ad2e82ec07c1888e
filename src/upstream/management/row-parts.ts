import { addingIds, onlyIn } from '../operation.ts';

export const inCloud = onlyIn('clickhouse-cloud');

export const inOrganization = addingIds('organizationId');

export const inService = addingIds('organizationId', 'serviceId');
