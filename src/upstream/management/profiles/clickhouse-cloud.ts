import type { Profile } from '../../profile.ts';
import type { ManagementOperations } from '../operations.ts';

const pipes = '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes';

/** ClickHouse Cloud, as it is today. */
export const clickhouseCloud: Profile<ManagementOperations> = {
  name: 'clickhouse-cloud',
  paths: {
    listPipes: pipes,
    createPipe: pipes,
    getPipe: `${pipes}/{pipeId}`,
    updatePipe: `${pipes}/{pipeId}`,
    updatePipeState: `${pipes}/{pipeId}/state`,
  },
};
