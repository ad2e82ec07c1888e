import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { answering } from '../support/answering.ts';
import { data, result, type Stack, stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const services = withIds('/v1/organizations/organization-1/services');
const pipes = `${services}/${withIds('service-1')}/pipes`;
const pipePath = `${pipes}/${withIds('pipe-1')}`;
const onePipe = withIds('pipe(@service-1, pipeId: "pipe-1")');

let stack: Stack;

const start = async (replies: Parameters<typeof answering>[0], config: Partial<Config> = {}) => {
  const both = { management: answering(replies), observability: answering(replies) };
  stack = await stackInTest({ ...both, config });
};

/** The phases, each with its states, what no service has sent yet among them. */
const phases = {
  pipes: {
    RUNNING: ['Running', 'Snapshot', 'Degraded'],
    CHANGING: ['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync'],
    STOPPED: ['Stopped', 'Paused'],
    FAILED: ['Failed', 'InternalError'],
    COMPLETED: ['Completed'],
    UNKNOWN: ['Unknown', 'RUNNING'],
  },
  services: {
    RUNNING: ['running', 'partially_running', 'degraded'],
    CHANGING: ['provisioning', 'starting', 'awaking', 'stopping', 'terminating', 'softdeleting'],
    ...{ IDLE: ['idle'], STOPPED: ['stopped'], FAILED: ['failed'] },
    TERMINATED: ['terminated', 'softdeleted'],
    UNKNOWN: ['Running'],
  },
  alerts: {
    ...{ FIRING: ['ALERT'], OK: ['OK'], PENDING: ['PENDING'], NO_DATA: ['INSUFFICIENT_DATA'] },
    ...{ DISABLED: ['DISABLED'], UNKNOWN: ['active', 'inactive', 'alert'] },
  },
};
type Kind = keyof typeof phases;

/** The states of a kind with their phases, and odd ones, which are unknown. */
const statesOf = (kind: Kind): readonly { readonly state: unknown; readonly phase: string }[] => [
  ...Object.entries(phases[kind]).flatMap(([phase, states]) =>
    states.map((state) => ({ state, phase })),
  ),
  ...['Hibernating', '', 'constructor', null, undefined, 7, {}].map((state) => {
    return { state, phase: 'UNKNOWN' };
  }),
];
const nameOf = (state: unknown): string => JSON.stringify(state) ?? 'none';

const typeOf: Readonly<Record<Kind, string>> = {
  ...{ pipes: 'Pipe', services: 'Service', alerts: 'Alert' },
};

/** Lists things under a filter: their names and phases. */
const list = async (kind: Kind, filter?: unknown, orderBy?: unknown) => {
  stack.calls.length = 0;
  const type = typeOf[kind];
  const selection = `${kind}(filter: $filter, orderBy: $orderBy) { name phase }`;
  const document = {
    pipes: `service(@service-1) { ${selection} }`,
    services: `organization(id: "organization-1") { ${selection} serviceCount(filter: $filter) }`,
    alerts: selection,
  }[kind];
  const variables = `$filter: ${type}Filter, $orderBy: ${type}Order`;
  const { body } = await stack.query(`query (${variables}) { ${withIds(document)} }`, {
    variables: { filter, orderBy },
  });
  expect(body.errors).toBeUndefined();
  const parent = kind === 'alerts' ? body.data : Object.values(body.data)[0];
  const found: readonly { name: string; phase: string }[] = parent[kind];
  if (kind === 'services') expect(parent.serviceCount).toBe(found.length);
  expect(stack.calls).toHaveLength(1);
  return found;
};

describe.each(Object.keys(phases) as readonly Kind[])('%s', (kind) => {
  const states = statesOf(kind);
  const all = states.map(({ state, phase }) => ({ name: nameOf(state), phase }));
  const startAll = () => {
    const things = states.map(({ state }, index) => {
      return { id: withIds(`pipe-${index + 1}`), name: nameOf(state), state };
    });
    const [list, alerts] = [result(things), data(things)];
    return start({
      [`GET ${pipes}`]: list,
      [`GET ${services}`]: list,
      'GET /api/v2/alerts': alerts,
    });
  };

  it('have a phase for each state, which can be asked for', async () => {
    await startAll();
    for (const filter of [undefined, null, {}, { state: null }, { phaseIn: null }]) {
      expect(await list(kind, filter)).toEqual(all);
    }
    for (const phase of new Set(all.map((each) => each.phase))) {
      const found = all.filter((each) => each.phase === phase);
      expect(await list(kind, { phaseIn: [phase] })).toEqual(found);
    }
    expect(await list(kind, { phaseIn: [] })).toEqual([]);
  });

  it('are listed by phase in the order that the schema promises', async () => {
    await startAll();
    const { body } = await stack.query(`{ __type(name: "${typeOf[kind]}OrderField") {
      enumValues { name description } } }`);
    const order: string = body.data.__type.enumValues.find(
      ({ name }: { readonly name: string }) => name === 'PHASE',
    ).description;
    const found = await list(kind, undefined, { field: 'PHASE' });
    const shown = [...new Set(found.map(({ phase }) => phase))];
    expect(order.replaceAll(/\s+/g, ' ')).toContain(`in the order ${shown.join(', ')}`);
    expect(found).toEqual(shown.flatMap((phase) => all.filter((each) => each.phase === phase)));
  });

  it('are found by their state in any case, and by state and phase together', async () => {
    await startAll();
    const texts = states.map(({ state }) => state).filter((state) => typeof state === 'string');
    const spelt = texts.flatMap((text) => [text.toUpperCase(), text.toLowerCase(), text.slice(1)]);
    for (const state of new Set([...texts, ...spelt])) {
      const same = texts.filter((text) => text.toLowerCase() === state.toLowerCase());
      const found = await list(kind, { state });
      expect(found.map(({ name }) => name)).toEqual(same.map(nameOf));
    }
    const { state, phase } = { ...states[0] };
    const other = all.find((each) => each.phase !== phase)?.phase;
    expect(await list(kind, { state, phaseIn: [phase] })).toContainEqual(all[0]);
    expect(await list(kind, { state, phaseIn: [other] })).not.toContainEqual(all[0]);
  });
});

const withId = (record: object, at: number) => ({ id: withIds(`pipe-${at}`), ...record });
const commandsOf = ({ availableCommands }: { readonly availableCommands: unknown }) => ({
  availableCommands,
});

/** States with the commands in them, and with those of ClickHouse Cloud where they differ. */
const commands: readonly (readonly [
  states: readonly string[],
  own: readonly string[],
  cloud?: readonly string[],
])[] = [
  [['Running', 'Snapshot', 'Provisioning', 'Resync', 'Degraded', 'Setup', 'Modifying'], ['STOP']],
  [['Stopped', 'Failed'], ['START']],
  [['Completed'], []],
  [['Paused'], ['STOP'], ['START']],
  [['Pausing', 'Stopping'], [], ['START']],
  [['InternalError', 'Unknown', 'constructor', 'running'], ['STOP'], ['START', 'STOP']],
];
const sources = ['kafka', 'pulsar', 'mysql', 'mongodb', 'postgres', undefined];

it.each([
  ['reference', ['postgres']],
  ['clickhouse-cloud', ['mysql', 'mongodb', 'postgres']],
] as const)(
  'a pipe offers the commands of its state and its source, with the profile %s',
  async (...row) => {
    const [managementProfile, copying] = row;
    const isCloud = managementProfile === 'clickhouse-cloud';
    const cases = commands.flatMap(([states, own, cloud = own]) =>
      states.flatMap((state) =>
        sources.map((kind) => {
          const resync = copying.some((each) => each === kind) ? ['RESYNC'] : [];
          const source = kind ? { [kind]: {} } : null;
          return { state, source, availableCommands: [...(isCloud ? cloud : own), ...resync] };
        }),
      ),
    );
    const path = isCloud ? pipes.replace('/pipes', '/clickpipes') : pipes;
    await start({ [`GET ${path}`]: result(cases.map(withId)) }, { managementProfile });
    const { body } = await stack.query(
      withIds('{ service(@service-1) { pipes { availableCommands } } }'),
    );
    expect(body.data.service.pipes).toEqual(cases.map(commandsOf));
  },
);

it('a pipe is sent a command in any state, and shows what follows without another call', async () => {
  const records = {
    [`GET ${pipePath}`]: result({ id: withIds('pipe-1'), state: 'Completed' }),
    [`PATCH ${pipePath}/state`]: result({
      id: withIds('pipe-1'),
      state: 'Stopping',
      source: null,
    }),
  };
  await start(records, { readCacheBytes: 1024 * 1024 });
  await stack.query(`{ ${onePipe} { availableCommands } }`);
  const stop =
    'stopPipe(input: {@service-1, pipeId: "pipe-1"}) { pipe { phase availableCommands } }';
  const { body } = await stack.query(`mutation { ${withIds(stop)} }`);
  const pipe = { phase: 'CHANGING', availableCommands: [] };
  expect(body).toEqual({ data: { stopPipe: { pipe } } });
  expect(stack.calls).toHaveLength(2);
});

it.each(['phase', 'availableCommands', 'source { __typename }'])(
  'a pipe that no route leads to fails with OPERATION_UNAVAILABLE, and invents no %s',
  async (selection) => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404</h1>' };
    await start({ [`GET ${pipePath}`]: page, [`GET ${pipes}`]: page });
    const { body } = await stack.query(`{ ${onePipe} { ${selection} } }`);
    const path = ['pipe', selection.split(' ')[0]];
    expect(body.errors).toMatchObject([{ path, extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  },
);

it.each(['reference', 'clickhouse-cloud'] as const)(
  'a service offers the commands of its phase, with the profile %s',
  async (managementProfile) => {
    const offered: Readonly<Record<string, readonly string[]>> = {
      ...{ RUNNING: ['STOP'], IDLE: ['WAKE', 'STOP'], STOPPED: ['START'] },
      ...{ FAILED: ['START', 'STOP'], UNKNOWN: ['START', 'STOP'], CHANGING: [], TERMINATED: [] },
    };
    const cases = statesOf('services').map(({ state, phase }) => {
      return { state, availableCommands: managementProfile === 'reference' ? [] : offered[phase] };
    });
    await start({ [`GET ${services}`]: result(cases.map(withId)) }, { managementProfile });
    const document = '{ organization(id: "organization-1") { services { availableCommands } } }';
    const { body } = await stack.query(withIds(document));
    expect(body.data.organization.services).toEqual(cases.map(commandsOf));
  },
);

const owner = (value?: string) => ({ key: 'owner', value });
/** The tags of services, by their names. */
const tagged: Readonly<Record<string, unknown>> = {
  ...{ sales: [owner('sales')], Sales: [owner('Sales')], alone: [owner()] },
  second: [{ key: 'environment', value: 'test' }, owner('a=b')],
  sign: [{ key: 'owner=a', value: 'b' }],
  ...{ none: [], absent: undefined, null: null, 'no list': owner('sales') },
  odd: [null, 'owner', 7],
};

it.each([
  [{ tag: 'owner' }, ['sales', 'Sales', 'alone', 'second']],
  [{ tag: 'owner=sales' }, ['sales']],
  [{ tag: 'owner=a=b' }, ['second', 'sign']],
  [{ tag: 'Owner' }, []],
  [{ tag: '' }, []],
  [{ tag: null }, Object.keys(tagged)],
  [{ tag: 'owner', nameContains: 'SALES' }, ['sales', 'Sales']],
  [{ tag: 'owner', phaseIn: ['RUNNING'] }, []],
])('services by their tags %j', async (filter, names) => {
  const records = Object.entries(tagged).map(([name, tags], index) => {
    return { id: withIds(`service-${index + 1}`), name, tags };
  });
  await start({ [`GET ${services}`]: result(records) });
  expect((await list('services', filter)).map(({ name }) => name)).toEqual(names);
});
