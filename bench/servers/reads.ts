import type {
  AlertRecord,
  BackupConfigurationRecord,
  DashboardRecord,
  InvitationRecord,
  OrganizationRecord,
  PipeRecord,
  ServiceRecord,
} from '../backend/records.ts';

/** What names a pipe. */
export interface PipeIds {
  readonly organizationId: string;
  readonly serviceId: string;
  readonly pipeId: string;
}

/** What the peers' resolvers read; each peer reads in the way of its stack. Lifetime: one request. */
export interface Reads {
  organization(organizationId: string): Promise<OrganizationRecord>;
  services(organizationId: string): Promise<readonly ServiceRecord[]>;
  service(organizationId: string, serviceId: string): Promise<ServiceRecord>;
  backupConfiguration(
    organizationId: string,
    serviceId: string,
  ): Promise<BackupConfigurationRecord>;
  pipes(organizationId: string, serviceId: string): Promise<readonly PipeRecord[]>;
  invitations(organizationId: string): Promise<readonly InvitationRecord[]>;
  alerts(): Promise<readonly AlertRecord[]>;
  alert(id: string): Promise<AlertRecord>;
  dashboards(): Promise<readonly DashboardRecord[]>;
  dashboard(id: string): Promise<DashboardRecord>;
  /** The one write. */
  command(ids: PipeIds, command: 'start' | 'stop'): Promise<PipeRecord>;
}
