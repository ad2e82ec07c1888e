import { describe, expect, it, onTestFinished } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { fleetKey, fleetStart } from '../../sandbox/world/fleet.ts';
import { startSandboxStack } from '../support/harness.ts';
import { open, organization } from '../support/sandbox/harness.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly region: string;
  readonly tags: readonly { readonly key: string; readonly value: string }[];
}

const fleet = `/v1/organizations/${fleetStart.organizationId}`;

const openFleet = async (fleetSize: number, profile: 'reference' | 'live' = 'reference') => {
  const { management } = await open({ fleetSize, profile, transitionMs: 0 });
  return <T>(method: string, path: string, body?: unknown) =>
    management<T>(method, `${fleet}${path}`, body, fleetKey.header);
};

describe('a fleet', () => {
  it('is answered through the gateway, each read once, with the service that sleeps told apart', async () => {
    const stack = await startSandboxStack({ sandbox: { fleetSize: 7 } });
    onTestFinished(() => stack.close());
    const { body } = await stack.query(
      'query ($id: ID!) { organization(id: $id) { name services { name pipes { name state } } } }',
      {
        variables: { id: fleetStart.organizationId },
        headers: { 'management-authorization': fleetKey.header },
      },
    );
    const { name, services } = body.data.organization;
    expect(name).toBe('Tidewater Logistics');
    expect(services.map((service: Row) => service.name)).toEqual([
      'checkout-production-001',
      'catalog-production-002',
      'search-production-003',
      'billing-production-004',
      'shipping-production-005',
      'identity-production-006',
      'analytics-staging-007',
    ]);
    expect(services[2].pipes).toEqual([
      { name: 'invoices 1', state: 'Running' },
      { name: 'device telemetry 2', state: 'Stopped' },
      { name: 'crm 3', state: 'Running' },
    ]);
    expect(services[5].pipes).toBeNull();
    expect(body.errors).toMatchObject([
      {
        path: ['organization', 'services', 5, 'pipes'],
        extensions: { code: 'SERVICE_NOT_RUNNING', upstream: { status: 424 } },
      },
    ]);
    const pipes = Array.from(
      { length: 7 },
      (_, index) => `GET ${fleet}/services/5e4c0000-0000-4000-8000-00000000100${index + 1}/pipes`,
    );
    expect(stack.callList()).toEqual([`GET ${fleet}`, `GET ${fleet}/services`, ...pipes]);
  });

  it('is what GraphiQL starts with, on a pipe that can be resynchronized', async () => {
    const stack = await startSandboxStack({ sandbox: { fleetSize: 1 } });
    onTestFinished(() => stack.close());
    const { headers, variables } = graphiqlStart(stack.sandbox);
    const { body } = await stack.query(
      `query ($organizationId: ID!, $serviceId: ID!, $pipeId: ID!) {
        pipe(organizationId: $organizationId, serviceId: $serviceId, pipeId: $pipeId) {
          name availableCommands
        }
      }`,
      {
        variables,
        headers: { 'management-authorization': headers['Management-Authorization'] },
      },
    );
    expect(body).toEqual({
      data: {
        pipe: { name: 'orders (change data capture) 1', availableCommands: ['STOP', 'RESYNC'] },
      },
    });
  });

  it('has the same services and pipes in every sandbox, however many there are', async () => {
    const [small, large] = [await openFleet(5), await openFleet(120)];
    const of = async (read: typeof small) => {
      const { result } = (await read<Row[]>('GET', '/services')).body;
      const pipes = result.slice(0, 5).map(async ({ id }) => {
        return (await read('GET', `/services/${id}/pipes`)).body.result;
      });
      return { services: result.slice(0, 5), pipes: await Promise.all(pipes) };
    };
    expect(await of(small)).toEqual(await of(large));
  });

  it('has pipes in every state that lasts, and of each twelve services one that sleeps', async () => {
    const read = await openFleet(120);
    const { result } = (await read<Row[]>('GET', '/services')).body;
    expect(new Set(result.map(({ id }) => id)).size).toBe(120);
    const replies = await Promise.all(
      result.map(({ id }) => read<Row[]>('GET', `/services/${id}/pipes`)),
    );
    expect(replies.filter(({ status }) => status === 424)).toHaveLength(10);
    const pipes = replies.flatMap(({ status, body }) => (status === 200 ? body.result : []));
    expect(new Set(pipes.map(({ id }) => id)).size).toBe(pipes.length);
    const states = new Set(pipes.map(({ state }) => state));
    expect([...states].sort()).toEqual(['Failed', 'Paused', 'Running', 'Stopped']);
  });

  it('refuses everything on the pipes of a service that sleeps, and nothing else of it', async () => {
    const read = await openFleet(6);
    const { result } = (await read<Row[]>('GET', '/services')).body;
    const path = `/services/${result[5]?.id}`;
    const pipe = `${path}/pipes/${fleetStart.pipeId}`;
    for (const [method, at, body] of [
      ['GET', `${path}/pipes`],
      ['POST', `${path}/pipes`, {}],
      ['GET', pipe],
      ['PATCH', pipe, {}],
      ['PATCH', `${pipe}/state`, { command: 'stop' }],
    ] as const) {
      const reply = await read(method, at, body);
      expect([reply.status, reply.body.error]).toEqual([
        424,
        'FAILED_DEPENDENCY: the service is idle: start it, or send it the command awake',
      ]);
    }
    expect((await read('GET', path)).status).toBe(200);
    expect((await read('GET', `${path}/backupConfiguration`)).status).toBe(200);
  });

  it('has regions, tags and states in the live dialect, where a command wakes a service', async () => {
    const read = await openFleet(6, 'live');
    const { result } = (await read<Row[]>('GET', '/services')).body;
    expect(result.map(({ region, state }) => [region, state])).toEqual([
      ['eu-central-1', 'running'],
      ['eu-west-1', 'running'],
      ['us-east-1', 'running'],
      ['us-west-2', 'running'],
      ['ap-southeast-1', 'running'],
      ['eu-central-1', 'idle'],
    ]);
    expect(result[3]?.tags).toEqual([
      { key: 'team', value: 'billing' },
      { key: 'environment', value: 'production' },
    ]);
    const path = `/services/${result[5]?.id}`;
    expect((await read('GET', `${path}/clickpipes`)).status).toBe(424);
    await read('PATCH', `${path}/state`, { command: 'awake' });
    expect((await read<Row[]>('GET', `${path}/clickpipes`)).body.result).toHaveLength(2);
  });

  it('leaves the other organizations as they are, and has no key without it', async () => {
    const [plain, beside] = [await open(), await open({ fleetSize: 3 })];
    const services = async ({ management }: typeof plain) =>
      (await management('GET', `${organization}/services`)).body.result;
    expect(await services(plain)).toEqual(await services(beside));
    const as = (key: string) => plain.management('GET', fleet, undefined, key);
    expect((await as(fleetKey.header)).status).toBe(401);
    const other = await beside.management('GET', fleet);
    expect(other.status).toBe(404);
  });
});
