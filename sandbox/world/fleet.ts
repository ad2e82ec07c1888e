import type { Pipe } from '../management/pipe-shapes.ts';
import type { Organization, Service } from '../management/records.ts';
import type { Tag } from '../management/state.ts';
import * as batch from './batch-pipes.ts';
import { managementKey } from './credentials.ts';
import { uuid } from './ids.ts';
import * as services from './services.ts';
import * as streaming from './streaming-pipes.ts';

/** The fleet's key, with the role admin; it exists only if there is a fleet. */
export const fleetKey = managementKey('demo-fleet-key', 'demo-fleet-secret');

/** The most services that a fleet may have. */
export const MOST_SERVICES = 1000;

/** The organization of the fleet, which has no invitations. */
export const tidewater: Organization = {
  id: uuid('0a9a0000', 3),
  createdAt: '2024-08-19T07:45:30Z',
  name: 'Tidewater Logistics',
  privateEndpoints: [],
  byocConfig: [],
};

/** A service of the fleet. */
export type FleetService = {
  readonly record: Service;
  readonly kind: 'production' | 'development';
  readonly tags: readonly Tag[];
  readonly isAsleep: boolean;
  readonly pipes: readonly Pipe[];
};

const teams = ['checkout', 'catalog', 'search', 'billing', 'shipping', 'identity', 'analytics'];
const regions = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2', 'ap-southeast-1'];
const environments = ['production', 'production', 'staging', 'development'];
const states = [
  'Running',
  'Running',
  'Running',
  'Stopped',
  'Running',
  'Failed',
  'Running',
  'Paused',
];

// The first pipe of the first service copies Postgres, so that it can be resynced.
const sources = [
  batch.orders,
  streaming.clickstream,
  batch.invoices,
  streaming.telemetry,
  batch.crm,
];

const at = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
};

const MOST_PIPES = 4;

const pipeOf = (serviceId: string, service: number, index: number): Pipe => {
  const source = at(sources, service + index);
  return {
    ...source,
    id: pipeIdOf(service, index),
    serviceId,
    name: `${source.name} ${index + 1}`,
    state: at(states, service * 3 + index * 5),
  };
};

const serviceIdOf = (service: number): string => uuid('5e4c0000', 1001 + service);
const pipeIdOf = (service: number, pipe: number): string =>
  uuid('919e0000', 1001 + service * MOST_PIPES + pipe);

/** The fleet's first service, which is awake, and its first pipe, which copies Postgres. */
export const fleetStart = {
  organizationId: tidewater.id,
  serviceId: serviceIdOf(0),
  pipeId: pipeIdOf(0, 0),
};

const serviceOf = (index: number): FleetService => {
  const [team, region] = [at(teams, index), at(regions, index)];
  const environment = at(environments, Math.floor(index / 3));
  const kind = environment === 'production' ? 'production' : 'development';
  const name = `${team}-${environment}-${String(index + 1).padStart(3, '0')}`;
  const id = serviceIdOf(index);
  const endpoint = { host: `${name}.${region}.db.tidewater.example`, username: 'default' };
  const record: Service = {
    ...(kind === 'production' ? services.metering : services.staging),
    id,
    name,
    endpoints: [
      { ...endpoint, protocol: 'https', port: 8443 },
      { ...endpoint, protocol: 'nativesecure', port: 9440 },
    ],
    idleScaling: true,
    // Each service is alone in its warehouse.
    dataWarehouseId: kind === 'production' ? uuid('3a7e0000', 1001 + index) : null,
    availablePrivateEndpointIds: [],
    ipAccessList: [],
    iamRole: null,
  };
  return {
    record,
    kind,
    tags: [
      { key: 'team', value: team },
      { key: 'environment', value: environment },
    ],
    isAsleep: index % 12 === 5,
    pipes: Array.from({ length: 1 + (index % MOST_PIPES) }, (_, pipe) => pipeOf(id, index, pipe)),
  };
};

/** This many services, the same in every sandbox: of each twelve one sleeps, starting with the sixth. */
export const fleetServices = (size: number): readonly FleetService[] =>
  Array.from({ length: size }, (_, index) => serviceOf(index));
