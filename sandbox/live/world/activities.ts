import { uuid, world } from '../../world/ids.ts';
import { liveWorld } from './ids.ts';
import { before } from './times.ts';

/** An activity on the wire, but for its organization. */
export type Activity = {
  readonly id: string;
  readonly createdAt: string;
  readonly type: string;
  readonly actorType: string;
  readonly actorId: string;
  readonly actorDetails: string;
  readonly actorIpAddress: string;
  readonly serviceId?: string;
  readonly userAgent?: string;
  readonly targetKeyId?: string;
  readonly keyUpdateType?: string;
};

type Actor = Pick<Activity, 'actorType' | 'actorId' | 'actorDetails' | 'actorIpAddress'> &
  Pick<Activity, 'userAgent'>;

const { services, keys } = world.management.main;
const { members } = liveWorld;
const { production, staging, trial } = services;

const mira: Actor = {
  actorType: 'user',
  actorId: members.mira,
  actorDetails: 'mira.okafor@northwind.example',
  actorIpAddress: '203.0.113.41',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};
const jonas: Actor = {
  actorType: 'user',
  actorId: members.jonas,
  actorDetails: 'jonas.weber@contractor.example',
  actorIpAddress: '198.51.100.204',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15',
};
const terraform: Actor = {
  actorType: 'api',
  actorId: liveWorld.keys.soon,
  actorDetails: 'Terraform',
  actorIpAddress: '203.0.113.8',
  userAgent: 'terraform-provider-clickhouse/3.4.0',
};
const system: Actor = {
  actorType: 'system',
  actorId: 'system',
  actorDetails: 'Autoscaler',
  actorIpAddress: '',
};
const support: Actor = {
  actorType: 'support',
  actorId: 'support-417',
  actorDetails: 'Support, ticket 88213',
  actorIpAddress: '192.0.2.77',
};

/** Minutes before the start, type, actor and objects; the newest first. `service_backup_retention_lock` stands for a type that nobody knows yet. */
const rows: readonly (readonly [number, string, Actor, Partial<Activity>?])[] = [
  [4, 'user_login', mira],
  [26, 'service_update_autoscaling_memory', system, { serviceId: production }],
  [58, 'key_update', mira, { targetKeyId: liveWorld.keys.disabled, keyUpdateType: 'disabled' }],
  [131, 'service_start', terraform, { serviceId: staging }],
  [420, 'service_stop', terraform, { serviceId: staging }],
  [690, 'user_login', jonas],
  [731, 'clickpipe_create', jonas, { serviceId: trial }],
  [1505, 'user_login_failed', jonas],
  [1890, 'service_maintenance_end', support, { serviceId: production }],
  [1932, 'service_maintenance_start', support, { serviceId: production }],
  [4310, 'key_create', mira, { targetKeyId: keys.queryEndpoints }],
  [7205, 'organization_invite_create', mira],
  [8641, 'service_backup_retention_lock', mira, { serviceId: production }],
  [11_700, 'organization_update_name', mira],
];

/** The activities of the main organization, newest first. */
export const mainActivities = (now: Date): readonly Activity[] =>
  rows.map(([minutes, type, actor, more], index) => ({
    ...{ id: uuid('ac710000', rows.length - index), createdAt: before(now, { minutes }), type },
    ...actor,
    ...more,
  }));
