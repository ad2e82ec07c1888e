import { organizationId, serviceId } from './ids.ts';
import { paths } from './paths.ts';
import type { World } from './world.ts';

/** A whole HTTP answer, ready to be written. */
export const httpAnswer = (status: string, body: unknown): Buffer => {
  const json = Buffer.from(JSON.stringify(body));
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), json]);
};

const result = (value: unknown): Buffer =>
  httpAnswer('200 OK', {
    status: 200,
    requestId: '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11',
    result: value,
  });

const data = (value: unknown): Buffer => httpAnswer('200 OK', { data: value });

/** Path → answer, every one built ahead. */
export const createRoutes = (world: World): ReadonlyMap<string, Buffer> =>
  new Map<string, Buffer>([
    [paths.organization(organizationId), result(world.organization)],
    [paths.invitations(organizationId), result(world.invitations)],
    [paths.service(organizationId, serviceId), result(world.service)],
    [paths.pipes(organizationId, serviceId), result(world.pipes)],
    [paths.backupConfiguration(organizationId, serviceId), result(world.backupConfiguration)],
    [paths.alerts, data(world.alerts)],
    [paths.dashboards, data(world.dashboards)],
    ...world.alerts.map((alert): [string, Buffer] => [paths.alert(alert.id ?? ''), data(alert)]),
    ...world.dashboards.map((dashboard): [string, Buffer] => [
      paths.dashboard(dashboard.id ?? ''),
      data(dashboard),
    ]),
  ]);
