import { describe, expect, it } from 'vitest';
import { open, organization, pipe, service, world } from '../support/sandbox/harness.ts';

const management = [
  '/v1/organizations',
  organization,
  `${organization}/services`,
  pipe('production', 'clickstream'),
];
const { dashboards } = world.observability.main;
const observability = ['/api/v2/dashboards', `/api/v2/dashboards/${dashboards.api}`];

describe('reads beyond the reference (docs/architecture.md)', () => {
  it('are there by default, in the same envelopes', async () => {
    const sandbox = await open();
    for (const path of management) {
      const reply = await sandbox.management('GET', path);
      expect([path, reply.status, reply.body.status]).toEqual([path, 200, 200]);
    }
    for (const path of observability) {
      const reply = await sandbox.observability('GET', path);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.body.data).toBeDefined();
    }
  });

  it('do not exist with extendedReads: false', async () => {
    const sandbox = await open({ extendedReads: false });
    const replies = [
      ...management.map((path) => sandbox.management('GET', path)),
      ...observability.map((path) => sandbox.observability('GET', path)),
    ];
    for (const reply of await Promise.all<{ status: number; text: string }>(replies)) {
      expect([reply.status, reply.text]).toEqual([404, 'Not Found']);
    }
  });

  it('the documented operations stay', async () => {
    const sandbox = await open({ extendedReads: false });
    const { status: updated } = await sandbox.management('PATCH', organization, { name: 'x' });
    const { status: read } = await sandbox.management('GET', `${service('production')}/pipes`);
    const { status: made } = await sandbox.observability('POST', '/api/v2/dashboards', {
      name: 'x',
    });
    expect([updated, read, made]).toEqual([200, 200, 200]);
  });
});
