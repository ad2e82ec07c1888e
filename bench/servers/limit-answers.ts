import { paths } from '../backend/paths.ts';
import type {
  AlertRecord,
  BackupConfigurationRecord,
  DashboardRecord,
  InvitationRecord,
  PipeRecord,
  ServiceRecord,
} from '../backend/records.ts';
import { aliasCount, distinctAlerts } from '../queries.ts';
import { pickPipe } from './limit-pipes.ts';
import type { Reader } from './limit-reader.ts';

type Variables = Readonly<Record<string, string>>;
type Answer = (reader: Reader, variables: Variables) => Promise<unknown>;

const q1: Answer = async (reader, { organizationId = '', serviceId = '' }) => {
  const service = await reader.management<ServiceRecord>(paths.service(organizationId, serviceId));
  return {
    service: {
      name: service.name ?? null,
      engineVersion: service.engineVersion ?? null,
      numReplicas: service.numReplicas ?? null,
      createdAt: service.createdAt ?? null,
    },
  };
};

const q2: Answer = async (reader, { organizationId = '', serviceId = '' }) => {
  const [service, backup, pipes, invitations] = await Promise.all([
    reader.management<ServiceRecord>(paths.service(organizationId, serviceId)),
    reader.management<BackupConfigurationRecord>(
      paths.backupConfiguration(organizationId, serviceId),
    ),
    reader.management<readonly PipeRecord[]>(paths.pipes(organizationId, serviceId)),
    reader.management<readonly InvitationRecord[]>(paths.invitations(organizationId)),
  ]);
  return {
    service: {
      id: serviceId,
      name: service.name ?? null,
      engineVersion: service.engineVersion ?? null,
      numReplicas: service.numReplicas ?? null,
      idleScaling: service.idleScaling ?? null,
      createdAt: service.createdAt ?? null,
      endpoints:
        service.endpoints?.map((endpoint) => ({
          protocol: endpoint.protocol ?? null,
          host: endpoint.host ?? null,
          port: endpoint.port ?? null,
          username: endpoint.username ?? null,
        })) ?? null,
      backupConfiguration: {
        backupPeriodInHours: backup.backupPeriodInHours ?? null,
        backupRetentionPeriodInHours: backup.backupRetentionPeriodInHours ?? null,
        backupStartTime: backup.backupStartTime ?? null,
      },
      pipes: pipes.map(pickPipe),
    },
    organization: {
      invitations: invitations.map((invitation) => ({
        id: invitation.id,
        email: invitation.email ?? null,
        createdAt: invitation.createdAt ?? null,
        expireAt: invitation.expireAt ?? null,
      })),
    },
  };
};

const pickAlert = (alert: AlertRecord) => ({
  id: alert.id,
  name: alert.name ?? null,
  state: alert.state ?? null,
  threshold: alert.threshold ?? null,
  interval: alert.interval ?? null,
});

const pickDashboard = ({ name, tiles }: DashboardRecord) => ({
  name: name ?? null,
  tiles: tiles?.map((tile) => ({ name: tile.name ?? null })) ?? null,
});

const q3: Answer = async (reader) => {
  const alerts = await reader.observability<readonly AlertRecord[]>(paths.alerts);
  const ids = [...new Set(alerts.map(({ dashboard }) => dashboard))];
  const dashboards = new Map(
    await Promise.all(
      ids.map(async (id) => {
        const dashboard =
          id && pickDashboard(await reader.observability<DashboardRecord>(paths.dashboard(id)));
        return [id, dashboard] as const;
      }),
    ),
  );
  return {
    alerts: alerts.map((alert) => ({
      id: alert.id,
      name: alert.name ?? null,
      state: alert.state ?? null,
      threshold: alert.threshold ?? null,
      interval: alert.interval ?? null,
      dashboard: dashboards.get(alert.dashboard) || null,
    })),
  };
};

const q4: Answer = async (reader, variables) => {
  const entries = Array.from({ length: aliasCount }, async (_, index) => {
    const id = variables[`id${index % distinctAlerts}`] ?? '';
    return [
      `a${index}`,
      pickAlert(await reader.observability<AlertRecord>(paths.alert(id))),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
};

/** The four operations by name: each answers with the `data` that GraphQL would. */
export const answers: ReadonlyMap<string, Answer> = new Map([
  ['Q1', q1],
  ['Q2', q2],
  ['Q3', q3],
  ['Q4', q4],
]);
