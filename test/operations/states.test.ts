import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { answering } from '../support/answering.ts';
import {
  data,
  json,
  result,
  type Stack,
  startSandboxStack,
  startStack,
} from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const organization = withIds('organization(id: "organization-1")');
const servicesPath = withIds('/v1/organizations/organization-1/services');
const ofService = withIds('organizationId: "organization-1", serviceId: "service-1"');
const pipesPath = `${servicesPath}/${withIds('service-1')}/pipes`;
const pipeId = withIds('pipe-1');
const onePipe = `pipe(${ofService}, pipeId: "${pipeId}")`;

let stack: Stack;
afterEach(() => stack.close());

type Replies = Parameters<typeof answering>[0];
const start = async (replies: Replies, config: Partial<Config> = {}): Promise<void> => {
  stack = await startStack({
    management: answering(replies),
    observability: answering(replies),
    config,
  });
};

/** The states of pipes with the phase of each, and what no service has sent yet, or nothing at all. */
const phases = {
  pipes: {
    RUNNING: ['Running', 'Snapshot', 'Degraded'],
    CHANGING: [...['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync']],
    STOPPED: ['Stopped', 'Paused'],
    FAILED: ['Failed', 'InternalError'],
    COMPLETED: ['Completed'],
    UNKNOWN: ['Unknown', 'RUNNING'],
  },
  services: {
    RUNNING: ['running', 'partially_running', 'degraded'],
    CHANGING: [
      ...['provisioning', 'starting', 'awaking', 'stopping', 'terminating', 'softdeleting'],
    ],
    IDLE: ['idle'],
    STOPPED: ['stopped'],
    FAILED: ['failed'],
    TERMINATED: ['terminated', 'softdeleted'],
    UNKNOWN: ['Running'],
  },
  alerts: {
    FIRING: ['ALERT'],
    OK: ['OK'],
    PENDING: ['PENDING'],
    NO_DATA: ['INSUFFICIENT_DATA'],
    DISABLED: ['DISABLED'],
    UNKNOWN: ['active', 'inactive', 'alert'],
  },
} as const;
const odd = ['Hibernating', '', 'constructor', null, undefined, 7, {}];

type Kind = keyof typeof phases;
const things = (kind: Kind) =>
  [...Object.values(phases[kind]).flat(), ...odd].map((state, index) => ({
    id: withIds(`pipe-${index + 1}`),
    name: JSON.stringify(state) ?? 'none',
    state,
  }));

/** Lists things under a filter: their names, and the phases of these. */
const list = async (kind: Kind, filter?: unknown) => {
  stack.calls.length = 0;
  const type = { pipes: 'PipeFilter', services: 'ServiceFilter', alerts: 'AlertFilter' }[kind];
  const selection = `${kind}(filter: $filter) { name phase }`;
  const document = {
    pipes: `service(${ofService}) { ${selection} }`,
    services: `${organization} { ${selection} serviceCount(filter: $filter) }`,
    alerts: selection,
  }[kind];
  const { body } = await stack.query(`query ($filter: ${type}) { ${document} }`, {
    variables: { filter },
  });
  expect(body.errors).toBeUndefined();
  const parent = kind === 'alerts' ? body.data : Object.values(body.data)[0];
  const found: readonly { name: string; phase: string }[] = parent[kind];
  if (kind === 'services') expect(parent.serviceCount).toBe(found.length);
  expect(stack.calls).toHaveLength(1);
  return found;
};

describe.each(Object.keys(phases) as readonly Kind[])('%s', (kind) => {
  const all = things(kind);
  const expected = Object.entries<readonly unknown[]>(phases[kind]).flatMap(([phase, states]) =>
    states.map((state) => ({ name: JSON.stringify(state), phase })),
  );
  const startAll = () =>
    start({
      [`GET ${pipesPath}`]: result(all),
      [`GET ${servicesPath}`]: result(all),
      'GET /api/v2/alerts': data(all),
    });

  it('have a phase for each state, which can be asked for', async () => {
    await startAll();
    const unknown = odd.map((state) => ({
      name: JSON.stringify(state) ?? 'none',
      phase: 'UNKNOWN',
    }));
    for (const filter of [undefined, null, {}, { state: null }, { phaseIn: null }]) {
      expect(await list(kind, filter)).toEqual([...expected, ...unknown]);
    }
    for (const phase of Object.keys(phases[kind])) {
      const found = [...expected, ...unknown].filter((each) => each.phase === phase);
      expect(await list(kind, { phaseIn: [phase] })).toEqual(found);
    }
    expect(await list(kind, { phaseIn: [] })).toEqual([]);
  });

  it('are found by their state in any case, and by state and phase together', async () => {
    await startAll();
    const texts = all.map(({ state }) => state).filter((state) => typeof state === 'string');
    const respelt = fc
      .tuple(fc.constantFrom(...texts), fc.infiniteStream(fc.boolean()))
      .map(([text, upper]) =>
        [...text]
          .map((letter) => (upper.next().value ? letter.toUpperCase() : letter.toLowerCase()))
          .join(''),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(respelt, fc.string({ maxLength: 9 })), async (state) => {
        const names = texts.filter((text) => text.toLowerCase() === state.toLowerCase());
        const found = await list(kind, { state });
        expect(found.map(({ name }) => name)).toEqual(names.map((name) => JSON.stringify(name)));
      }),
      { numRuns: 50, seed: 1 },
    );
    const [[phase = '', [state] = []] = [], [other = ''] = []] = Object.entries<readonly string[]>(
      phases[kind],
    );
    const [first] = await list(kind, { state, phaseIn: [phase] });
    expect(first).toEqual({ name: JSON.stringify(state), phase });
    const both = await list(kind, { state, phaseIn: [other] });
    expect(both.filter(({ name }) => name === JSON.stringify(state))).toEqual([]);
  });
});

describe('a pipe', () => {
  const every = ['START', 'STOP'];
  /** The commands in each state, and those of ClickHouse Cloud where they differ. */
  type Commands = readonly [states: string, own: readonly string[], cloud?: readonly string[]];
  const commands: readonly Commands[] = [
    ['Running Snapshot Provisioning Resync Degraded Setup Modifying', ['STOP']],
    ['Stopped Failed', ['START']],
    ['Completed', []],
    ['Paused', ['STOP'], ['START']],
    ['Pausing Stopping', [], ['START']],
    ['InternalError Unknown constructor running', ['STOP'], every],
  ];
  const sources = [{ kafka: {} }, { objectStorage: {} }, { kinesis: {} }, { pulsar: {} }, null];
  const copying = [{ mysql: {} }, { mongodb: {} }];

  it.each(['reference', 'clickhouse-cloud'] as const)(
    'offers the commands of its state and its source, with the profile %s',
    async (managementProfile) => {
      const isCloud = managementProfile === 'clickhouse-cloud';
      const cases = commands.flatMap(([states, own, cloud = own]) => {
        const offered = isCloud ? cloud : own;
        const withResync = [...offered, 'RESYNC'];
        return states.split(' ').flatMap((state) => [
          ...sources.map((source) => ({ state, source, offered })),
          { state, source: { postgres: {} }, offered: withResync },
          ...copying.map((source) => ({
            state,
            source,
            offered: isCloud ? withResync : offered,
          })),
        ]);
      });
      const path = isCloud ? pipesPath.replace('/pipes', '/clickpipes') : pipesPath;
      const pipes = cases.map((each, index) => ({ id: withIds(`pipe-${index}`), ...each }));
      await start({ [`GET ${path}`]: result(pipes) }, { managementProfile });
      const { body } = await stack.query(
        `{ service(${ofService}) { pipes { availableCommands } } }`,
      );
      expect(body.data.service.pipes).toEqual(
        cases.map(({ offered }) => ({ availableCommands: offered })),
      );
    },
  );

  it.each(['phase', 'availableCommands'])(
    'is read where only %s is selected',
    async (selection) => {
      await start({
        [`GET ${pipesPath}/${pipeId}`]: result({ id: pipeId, state: { at: 'Running' } }),
      });
      const { body } = await stack.query(`{ ${onePipe} { ${selection} } }`);
      expect(body.errors).toBeUndefined();
      expect(stack.callList()).toEqual([`GET ${pipesPath}/${pipeId}`]);
    },
  );

  it('is sent a command in any state, and shows what follows without another call', async () => {
    await start(
      {
        [`GET ${pipesPath}/${pipeId}`]: result({ id: pipeId, state: 'Completed' }),
        [`PATCH ${pipesPath}/${pipeId}/state`]: result({ id: pipeId, state: 'Stopping' }),
      },
      { readCacheBytes: 1024 * 1024 },
    );
    await stack.query(`{ ${onePipe} { availableCommands } }`);
    const { body } = await stack.query(`mutation { stopPipe(input: {
      ${ofService}, pipeId: "${pipeId}"}) { pipe { phase availableCommands } } }`);
    const pipe = { phase: 'CHANGING', availableCommands: [] };
    expect(body).toEqual({ data: { stopPipe: { pipe } } });
    expect(stack.calls).toHaveLength(2);
  });

  it.each(['phase', 'availableCommands', 'source { __typename }'])(
    'that no route leads to fails with OPERATION_UNAVAILABLE, and invents no %s',
    async (selection) => {
      const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404</h1>' };
      await start({ [`GET ${pipesPath}/${pipeId}`]: page, [`GET ${pipesPath}`]: page });
      const { body } = await stack.query(`{ ${onePipe} { ${selection} } }`);
      const path = ['pipe', selection.split(' ')[0]];
      expect(body.errors).toMatchObject([{ path, extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
    },
  );
});

it('an alert that is updated shows the phase that the answer has', async () => {
  await start({
    'GET /api/v2/alerts/a1': data({ id: 'a1', threshold: 1, state: 'ALERT' }),
    'PUT /api/v2/alerts/a1': json({ data: { id: 'a1', threshold: 2, state: 'PENDING' } }),
  });
  const { body } = await stack.query(
    'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { phase } } }',
  );
  expect(body).toEqual({ data: { updateAlert: { alert: { phase: 'PENDING' } } } });
  expect(stack.calls).toHaveLength(2);
});

describe('services by their tags', () => {
  const owner = (value?: string) => ({ key: 'owner', value });
  /** The services, each named after its tags. */
  const tagged: Readonly<Record<string, unknown>> = {
    sales: [owner('sales')],
    Sales: [owner('Sales')],
    alone: [owner()],
    second: [{ key: 'environment', value: 'test' }, owner('a=b')],
    sign: [{ key: 'owner=a', value: 'b' }],
    ...{ none: [], absent: undefined, null: null, 'no list': owner('sales') },
    odd: [null, 'owner', 7],
  };
  const services = Object.entries(tagged).map(([name, tags], index) => ({
    id: withIds(`service-${index + 1}`),
    name,
    tags,
  }));
  const owned = ['sales', 'Sales', 'alone', 'second'];

  it.each([
    [{ tag: 'owner' }, owned],
    [{ tag: 'owner=sales' }, ['sales']],
    [{ tag: 'owner=a=b' }, ['second', 'sign']],
    [{ tag: 'Owner' }, []],
    [{ tag: '' }, []],
    [{ tag: null }, Object.keys(tagged)],
    [{ tag: 'owner', nameContains: 'SALES' }, ['sales', 'Sales']],
    [{ tag: 'owner', phaseIn: ['RUNNING'] }, []],
  ])('%j', async (filter, names) => {
    await start({ [`GET ${servicesPath}`]: result(services) });
    expect((await list('services', filter)).map(({ name }) => name)).toEqual(names);
  });

  it('a service of ClickHouse Cloud that sleeps has tags and a phase, in the list of all pipes too', async () => {
    stack = await startSandboxStack({
      sandbox: { profile: 'live' },
      config: { managementProfile: 'clickhouse-cloud' },
    });
    const { body } = await stack.query(
      `{ organizations {
        services(filter: { tag: "environment=development" }) { phase tags { key } }
        pipes { totalCount unreadServices { code service { phase } } } } }`,
      {
        headers: {
          'management-authorization': `Basic ${btoa('demo-second-key:demo-second-secret')}`,
        },
      },
    );
    const service = { phase: 'IDLE' };
    expect(body.data.organizations).toEqual([
      {
        services: [{ ...service, tags: [{ key: 'owner' }, { key: 'environment' }] }],
        pipes: { totalCount: 1, unreadServices: [{ code: 'SERVICE_NOT_RUNNING', service }] },
      },
    ]);
  });
});
