import type {
  AlertRecord,
  BackupConfigurationRecord,
  DashboardRecord,
  InvitationRecord,
  PipeRecord,
  ServiceRecord,
} from '../backend/records.ts';

/** What the peers' resolvers read; each peer reads in the way of its stack. Lifetime: one request. */
export interface Reads {
  service(organizationId: string, serviceId: string): Promise<ServiceRecord>;
  backupConfiguration(
    organizationId: string,
    serviceId: string,
  ): Promise<BackupConfigurationRecord>;
  pipes(organizationId: string, serviceId: string): Promise<readonly PipeRecord[]>;
  invitations(organizationId: string): Promise<readonly InvitationRecord[]>;
  alerts(): Promise<readonly AlertRecord[]>;
  alert(id: string): Promise<AlertRecord>;
  dashboard(id: string): Promise<DashboardRecord>;
}
