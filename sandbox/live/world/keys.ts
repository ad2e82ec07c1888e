import type { ApiKey } from '../../management/state.ts';
import { world } from '../../world/ids.ts';
import { liveWorld } from './ids.ts';
import { before } from './times.ts';

const { organizationId } = world.management.main;
const { soon, never, disabled, expired } = liveWorld.keys;

/** Nobody can log in with it: no key id has this digest. */
const unusable = (id: string) => ({ id, organizationId, idHash: `none: ${id}`, secretHash: '' });

/** Further keys of the main organization: one that expires soon, one never used, one disabled and one expired. */
export const furtherKeys = (now: Date): readonly ApiKey[] => [
  {
    ...unusable(soon),
    name: 'Terraform',
    keySuffix: 'Tf4q',
    createdAt: before(now, { days: 85 }),
    expireAt: before(now, { days: -5 }),
    usedAt: before(now, { hours: 2 }),
    roles: ['admin'],
    state: 'enabled',
    ipAccessList: [{ source: '203.0.113.0/24', description: 'Office, Hamburg' }],
  },
  {
    ...unusable(never),
    name: 'Nightly export',
    keySuffix: 'Nx07',
    createdAt: before(now, { days: 12 }),
    roles: ['query_endpoints'],
    state: 'enabled',
    ipAccessList: [],
  },
  {
    ...unusable(disabled),
    name: 'Old dashboard',
    keySuffix: 'Od9z',
    createdAt: before(now, { days: 400 }),
    usedAt: before(now, { days: 41 }),
    roles: ['developer'],
    state: 'disabled',
    ipAccessList: [],
  },
  {
    ...unusable(expired),
    name: 'Migration',
    keySuffix: 'Mg2b',
    createdAt: before(now, { days: 33 }),
    expireAt: before(now, { days: 3 }),
    usedAt: before(now, { days: 4 }),
    roles: ['developer'],
    state: 'enabled',
    ipAccessList: [],
  },
];
