import { randomUUID } from 'node:crypto';
import { json } from '../../answer.ts';
import { failure, managementInterface } from '../../management/index.ts';
import type { ApiKey } from '../../management/state.ts';
import type { RestInterface } from '../../rest-interface.ts';
import { audited } from './audited.ts';
import { keyRoutes } from './keys.ts';
import { CursorPage, notificationRoutes } from './notifications.ts';
import { organizationRoutes } from './organizations.ts';
import { pipeRoutes } from './pipes.ts';
import { reportRoutes } from './reports.ts';
import { serviceRoutes } from './services.ts';
import type { CloudState } from './state.ts';

/** ClickHouse Cloud over a state. Its 404 for an unknown path has the same text as for an unknown pipe. */
export const createCloud = (state: CloudState): RestInterface<ApiKey> => {
  const cloud = managementInterface(
    state,
    [
      ...organizationRoutes(state),
      ...keyRoutes(state),
      ...serviceRoutes(state),
      ...pipeRoutes(state),
      ...reportRoutes(state),
      ...notificationRoutes(state),
    ].map(audited(state)),
  );
  return {
    ...cloud,
    succeed: (payload) =>
      payload instanceof CursorPage
        ? json(200, {
            ...{ status: 200, requestId: randomUUID(), result: payload.rows },
            ...payload.envelope,
          })
        : cloud.succeed(payload),
    outsideRoutes: () => failure(404, 'not found'),
  };
};
