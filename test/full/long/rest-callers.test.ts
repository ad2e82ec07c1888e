import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server.ts';
import { cloud } from '../../profiles/rows.ts';
import { paced, result, stackInTest, startSandboxStack } from '../../support/harness.ts';
import { headOf, call as open } from '../../support/http/raw.ts';
import { createRandom } from '../../support/random/random.ts';
import { count, createCallers, servicePath } from '../../support/rest/callers.ts';

const authorization = 'authorization: Basic a2V5LWlkOmtleS1zZWNyZXQ=';

describe('the requests of the Terraform provider, by the public documentation', () => {
  const clock = { now: new Date('2026-11-01T00:00:00Z') };
  const sandbox = { profile: 'live', limits: false, clock: () => clock.now } as const;
  const pipe = {
    name: 'events',
    source: {
      objectStorage: {
        ...{ type: 's3', format: 'JSONEachRow', url: 'https://bucket.example/*.json' },
        authentication: 'IAM_ROLE',
        iamRole: 'arn:aws:iam::000000000000:role/reads-events',
      },
    },
    destination: {
      ...{ database: 'default', table: 'events', managedTable: true },
      tableDefinition: { engine: { type: 'MergeTree' } },
      columns: [{ name: 'id', type: 'UInt64' }],
    },
    fieldMappings: [{ sourceField: 'id', destinationField: 'id' }],
  };

  it('are answered as without the gateway, and the second plan has no difference', async () => {
    const [direct, stack] = [
      await startSandbox(sandbox),
      await startSandboxStack({
        sandbox,
        config: { ...paced, ...cloud, managementRate: undefined, rest: 'write' },
      }),
    ];
    onTestFinished(direct.close);
    onTestFinished(stack.close);
    const list = `/v1/organizations/${direct.world.management.main.organizationId}/services`;
    const headers = {
      authorization: direct.credentials.management.admin.header,
      'content-type': 'application/json',
    };

    /** All that a configuration does at this base URL, and the answers. */
    const apply = async (base: string) => {
      const answers: unknown[] = [];
      const send = async (method: string, path: string, body?: object) => {
        const response = await fetch(base + path, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        });
        const { result: found, status } = await response.json();
        answers.push([`${method} ${path}`, response.status, status, found]);
        return found;
      };
      /** Reads an object until it has the state, as the provider does; at first it has another one. */
      const until = async (path: string, state: string) => {
        let found = await send('GET', path);
        expect(found.state).not.toBe(state);
        clock.now = new Date(clock.now.getTime() + 10_000);
        while (found.state !== state) {
          await pause(500);
          found = (await (await fetch(base + path, { headers })).json()).result;
        }
      };
      clock.now = new Date('2026-11-01T00:00:00Z');
      // The first plan and apply: refresh, create, wait, read.
      await send('GET', list);
      const created = await send('POST', list, {
        ...{ name: 'made', provider: 'aws', region: 'eu-west-1', numReplicas: 3 },
        ...{ minReplicaMemoryGb: 8, maxReplicaMemoryGb: 16, idleScaling: false },
        ipAccessList: [{ source: '192.0.2.0/24', description: 'office' }],
      });
      const service = `${list}/${created.service.id}`;
      await until(service, 'running');
      const { id } = await send('POST', `${service}/clickpipes`, pipe);
      const own = `${service}/clickpipes/${id}`;
      await until(own, 'Running');
      const plan = async () => [
        await send('GET', list),
        await send('GET', service),
        await send('GET', `${service}/clickpipes`),
        await send('GET', own),
      ];
      await plan();
      // A change of each, and what the provider reads after it.
      await send('PATCH', service, {
        name: 'renamed',
        tags: { add: [{ key: 'by', value: 'terraform' }], remove: [] },
      });
      const changed = await send('GET', service);
      await send('PATCH', `${service}/replicaScaling`, { numReplicas: 4 });
      const scaled = await send('GET', service);
      await send('PATCH', own, { name: 'all events' });
      await send('PATCH', `${own}/scaling`, { replicas: 2 });
      const applied = await send('GET', own);
      // The second plan.
      const [listed, again, all, found] = await plan();
      expect(listed).toContainEqual(again);
      expect(changed.name).toBe('renamed');
      expect([again, found]).toEqual([scaled, applied]);
      expect(all).toContainEqual(applied);
      expect(found).toMatchObject({ name: 'all events', scaling: { replicas: 2 } });
      // The end. A service is stopped before it is deleted.
      await send('DELETE', own);
      await send('PATCH', `${service}/state`, { command: 'stop' });
      await until(service, 'stopped');
      await send('DELETE', service);
      await send('GET', service);
      return answers;
    };
    const expected = await apply(direct.managementUrl);
    expect(await apply(`${new URL(stack.url).origin}/management`)).toEqual(expected);
    expect(expected.map((each) => (each as [string, number])[1])).toEqual([
      ...expected.slice(1).map(() => 200),
      404,
    ]);
  });
});

describe('targets that are no path of an interface', () => {
  const { below, pick: anyOf } = createRandom(54);
  const paths = [
    '/management/v1/organizations/a/services/b',
    '/observability/api/v2/dashboards/c',
  ] as const;
  /** Puts a text somewhere after the prefix that the gateway serves. */
  const within = (path: string, text: string): string => {
    const from = path.indexOf('/', path.indexOf('/v') + 1) + 1;
    const at = from + below(path.length - from + 1);
    return path.slice(0, at) + text + path.slice(at);
  };
  const character = (from: number, to: number): string =>
    String.fromCharCode(from + below(to - from));
  const gateOf = (path: string) => path.split('/', 2)[1] ?? '';
  /** What answers: the door, in JSON; the gateway, as at any path that is not served; Node, which reads no such request. */
  type By = 'door' | 'gateway' | 'node';
  const kinds: readonly (readonly [By, (path: string) => string])[] = [
    [
      'door',
      (path) => within(path, anyOf(['%2e', '%2E%2e', '%252e', '%2f', '%5c', '%00', '%61', '%'])),
    ],
    [
      'door',
      (path) =>
        within(
          path,
          anyOf(['/../', '/./', '/..;/', '/...//', '//', '\\', ';a=b', '#a', '*', '@', '{a}']),
        ),
    ],
    ['door', (path) => `${path}/${anyOf(['..', '.', '%2e%2e', '', '../../v1'])}`],
    [
      'door',
      (path) => anyOf(['http://other.example', 'https://127.0.0.1:1', 'HTTP://gateway']) + path,
    ],
    [
      'door',
      (path) =>
        path.replace(/\/v\d/, () => anyOf(['', '/v3', '/V1', '/v1.', '/v', '/v1%2f', '/../v1'])),
    ],
    [
      'gateway',
      (path) =>
        path.replace(gateOf(path), (gate) =>
          anyOf([gate.toUpperCase(), `${gate}s`, `/${gate}`, `${gate}%2f`, `//a/${gate}`]),
        ),
    ],
    ['node', (path) => anyOf([path.slice(1), `a:${path}`])],
    ['node', (path) => within(path, anyOf([character(1, 32), character(127, 256)]))],
    ['node', (path) => `${path}?${character(1, 32)}`],
    ['node', (path) => `${path}/${'x'.repeat(20_000 + below(100_000))}`],
  ];

  it('1 000 of them reach no upstream, and the door answers each of its own with a 4xx in JSON', async () => {
    const { url, calls } = await stackInTest({ config: { rest: 'write' } });
    const port = Number(new URL(url).port);
    const send = async (target: string): Promise<string> => {
      const { socket, text, closed } = open(port);
      const line = `${anyOf(['GET', 'POST', 'DELETE'])} ${target} HTTP/1.1`;
      socket.write(headOf(line, authorization, 'connection: close'), 'latin1');
      await closed;
      return text();
    };
    const heads: Readonly<Record<By, RegExp>> = {
      door: /^HTTP\/1\.1 40[04] .*content-type: application\/json.*\{"status":40[04],"error":"[^{}]+"\}$/is,
      gateway: /^HTTP\/1\.1 404 /,
      node: /^HTTP\/1\.1 (?:400|431) [\w ]+\r\nConnection: close\r\n\r\n$/,
    };
    for (let round = 0; round < 20; round += 1) {
      const all = count(5 * kinds.length, (each) => kinds[each % kinds.length] ?? kinds[0]);
      const sent = all.map((kind) => [kind?.[0] ?? 'door', kind?.[1](anyOf(paths)) ?? ''] as const);
      const answers = await Promise.all(
        sent.map(async ([by, target]) => [by, target, await send(target)] as const),
      );
      expect(answers.filter(([by, , answer]) => !heads[by].test(answer))).toEqual([]);
    }
    expect(calls).toEqual([]);
  });
});

describe('GraphQL is as it was beside', () => {
  const large = JSON.stringify({ status: 200, result: 'x'.repeat(512 * 1024) });
  const start = async () => {
    const hanging = { isHung: true };
    const released: (() => void)[] = [];
    const stack = await stackInTest({
      management: async ({ path }) => {
        if (path.endsWith('/large'))
          return { headers: { 'content-type': 'application/json' }, body: large };
        if (hanging.isHung && path.endsWith('/hung'))
          await new Promise<void>((resolve) => released.push(resolve));
        return result(
          path.endsWith('/services') ? [] : { id: path.split('/').at(-1), name: 'one' },
        );
      },
      config: {
        ...paced,
        managementRate: undefined,
        rest: 'write',
        operationTimeoutMs: 4000,
        writeTimeoutMs: 4000,
      },
    });
    const id = servicePath(0).split('/');
    const service = `{ service(organizationId: "${id[3]}", serviceId: "${id[5]}") { name } }`;
    const isWell = async (): Promise<void> => {
      const [first, second] = await Promise.all([
        stack.query(service),
        stack.query('{ alerts { id } }'),
      ]);
      for (const [answer, expected] of [
        [first, { service: { name: 'one' } }],
        [second, { alerts: [] }],
      ] as const) {
        expect([answer.status, answer.body.errors, answer.body.data]).toEqual([
          200,
          undefined,
          expected,
        ]);
      }
    };
    await isWell();
    const release = (): void => {
      hanging.isHung = false;
      for (const each of released.splice(0)) each();
    };
    return {
      ...stack,
      ...createCallers(() => stack.url),
      port: Number(new URL(stack.url).port),
      isWell,
      release,
    };
  };

  it('a hung upstream', async () => {
    const { call, isWell, release } = await start();
    const reads = count(30, (each) => call('GET', `${servicePath(each + 1)}/hung`));
    const writes = count(5, (each) => call('POST', `${servicePath(each + 1)}/hung`, '{}'));
    for (const _ of count(5, Number)) {
      await isWell();
      await pause(300);
    }
    const statuses = (await Promise.all([...reads, ...writes])).map(({ status }) => status);
    expect(statuses.filter((status) => ![429, 503, 504].includes(status))).toEqual([]);
    release();
    await expect.poll(async () => (await call('GET', `${servicePath(50)}/hung`)).status).toBe(200);
    await isWell();
  });

  it('bodies that their callers cut off', async () => {
    const { port, calls, isWell, call } = await start();
    const before = calls.length;
    const head = `POST /management${servicePath(1)} HTTP/1.1\r\nhost: a\r\n${authorization}\r\ncontent-type: application/json\r\n`;
    for (const rest of [
      'content-length: 100\r\n\r\n{"a',
      'transfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n',
    ]) {
      for (const _ of count(25, Number)) {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(head + rest);
        await pause(5);
        socket.destroy();
      }
    }
    await isWell();
    expect((await call('POST', servicePath(1), '{}')).status).toBe(200);
    expect(calls.slice(before).filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('100 callers who read nothing of their answers', async () => {
    const { port, isWell, call, calls } = await start();
    const callers = count(100, (each) => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.write(
        `GET /management${servicePath(each)}/large HTTP/1.1\r\nhost: a\r\n${authorization}\r\n\r\n`,
      );
      return socket;
    });
    await expect
      .poll(() => calls.filter(({ path }) => path.endsWith('/large')).length)
      .toBeGreaterThan(20);
    for (const _ of count(5, Number)) {
      await isWell();
      await pause(200);
    }
    for (const each of callers) each.destroy();
    expect((await call('GET', `${servicePath(200)}/large`)).status).toBe(200);
    await isWell();
  });
});
