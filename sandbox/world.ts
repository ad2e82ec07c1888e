import { type Fault, faults } from './faults.ts';
import { base64Digest } from './management/access.ts';
import type { Pipe } from './management/pipe-shapes.ts';
import type { BackupConfiguration, Organization, Service } from './management/records.ts';
import type {
  ApiKey,
  ManagementState,
  OrganizationEntry,
  ServiceEntry,
} from './management/state.ts';
import type { Alert, Dashboard } from './observability/shapes.ts';
import type { ObservabilityState, Team } from './observability/state.ts';
import { createSequence } from './sequence.ts';
import { mainAlerts, secondAlerts } from './world/alerts.ts';
import * as batch from './world/batch-pipes.ts';
import { credentials } from './world/credentials.ts';
import { mainDashboards, secondDashboards } from './world/dashboards.ts';
import { fleetKey, fleetServices, tidewater } from './world/fleet.ts';
import { uuid, world } from './world/ids.ts';
import { harborlight, northwind, northwindInvitations } from './world/organizations.ts';
import * as services from './world/services.ts';
import * as streaming from './world/streaming-pipes.ts';

const byId = <T extends { readonly id: string }>(things: readonly T[]): Map<string, T> =>
  new Map(things.map((thing) => [thing.id, thing]));

const backup = (hours: number, days: number, backupStartTime: string): BackupConfiguration => ({
  backupPeriodInHours: hours,
  backupRetentionPeriodInHours: days * 24,
  backupStartTime,
});

const service = (
  record: Service,
  facts: Omit<ServiceEntry, 'record' | 'pipes'>,
  pipes: readonly Pipe[],
): ServiceEntry => ({
  ...facts,
  record,
  pipes: new Map(pipes.map((pipe) => [pipe.id, { record: pipe }])),
});

const organization = (
  record: Organization,
  invitations: OrganizationEntry['invitations'],
  entries: readonly ServiceEntry[],
): OrganizationEntry => ({
  record,
  invitations,
  services: new Map(entries.map((entry) => [entry.record.id, entry])),
});

const paid = { kind: 'production', paid: true } as const;

const createOrganizations = (): readonly OrganizationEntry[] => [
  organization(northwind, northwindInvitations, [
    service(services.production, { ...paid, backup: backup(24, 30, '02:30') }, [
      streaming.clickstream,
      batch.orders,
      batch.archive,
      streaming.telemetry,
    ]),
    service(services.reporting, { ...paid, backup: backup(24, 7, '04:00') }, []),
    service(services.staging, { kind: 'development', paid: true, backup: backup(24, 1, '00:00') }, [
      streaming.stagingClickstream,
      batch.invoices,
    ]),
    service(services.trial, { ...paid, paid: false, backup: backup(24, 1, '05:15') }, [batch.crm]),
  ]),
  organization(
    harborlight,
    [],
    [
      service(services.metering, { ...paid, backup: backup(12, 14, '23:45') }, [
        streaming.readings,
      ]),
    ],
  ),
];

const createFleet = (size: number): OrganizationEntry =>
  organization(
    tidewater,
    [],
    fleetServices(size).map(({ record, kind, tags, isAsleep, pipes }) =>
      service(record, { kind, paid: true, tags, isAsleep, backup: backup(24, 7, '01:00') }, pipes),
    ),
  );

const key = (
  id: string,
  organizationId: string,
  role: string,
  { keyId, keySecret }: { readonly keyId: string; readonly keySecret: string },
): ApiKey => ({
  id,
  name: `${role} key`,
  keySuffix: keyId.slice(-4),
  createdAt: '2026-02-02T09:00:00Z',
  organizationId,
  idHash: base64Digest(keyId),
  secretHash: base64Digest(keySecret),
  roles: [role],
  state: 'enabled',
  ipAccessList: [],
});

const createKeys = (): readonly ApiKey[] => {
  const { main, second } = world.management;
  const { admin, developer, queryEndpoints, second: other } = credentials.management;
  return [
    key(main.keys.admin, main.organizationId, 'admin', admin),
    key(main.keys.developer, main.organizationId, 'developer', developer),
    key(main.keys.queryEndpoints, main.organizationId, 'query_endpoints', queryEndpoints),
    key(second.keys.admin, second.organizationId, 'admin', other),
    ...faults.map((fault, index) => ({
      ...key(
        uuid('4e1f0000', 21 + index),
        main.organizationId,
        'admin',
        credentials.failing.management[fault],
      ),
      fault,
    })),
  ];
};

/**
 * The initial state of a management interface: a copy of the initial world, and a fleet of this size with its own key, if
 * the size is not 0.
 */
export const createManagementState = (
  clock: () => Date,
  transitionMs: number,
  fleetSize: number,
): ManagementState => {
  const fleets = fleetSize > 0 ? [createFleet(fleetSize)] : [];
  const fleetKeys = fleets.map(({ record }) =>
    key(uuid('4e1f0000', 1001), record.id, 'admin', fleetKey),
  );
  const organizations = [...createOrganizations(), ...fleets];
  return {
    organizations: new Map(organizations.map((entry) => [entry.record.id, entry])),
    keys: new Map([...createKeys(), ...fleetKeys].map((entry) => [entry.idHash, entry])),
    clock,
    sequence: createSequence('management'),
    transitionMs,
  };
};

const team = (id: string, dashboards: readonly Dashboard[], alerts: readonly Alert[]): Team => ({
  id,
  dashboards: byId(dashboards),
  alerts: byId(alerts),
});

/** The initial state of an observability interface: a copy of the initial world. */
export const createObservabilityState = (clock: () => Date): ObservabilityState => {
  const { main, second } = world.observability;
  const mainTeam = team(main.teamId, mainDashboards, mainAlerts);
  const secondTeam = team(second.teamId, secondDashboards, secondAlerts);
  const { observability, failing } = credentials;
  const tokenOf = (fault: Fault): string => failing.observability[fault].token;
  return {
    teams: new Map([
      [observability.main.token, mainTeam],
      [observability.second.token, secondTeam],
      ...faults.map((fault) => [tokenOf(fault), mainTeam] as const),
    ]),
    faults: new Map(faults.map((fault) => [tokenOf(fault), fault])),
    clock,
    sequence: createSequence('observability'),
  };
};
