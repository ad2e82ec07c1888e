import { expect, it } from 'vitest';
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
    services: `organization(organizationId: "organization-1") { ${selection} serviceCount(filter: $filter) }`,
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

const withId = (record: object, at: number) => ({ id: withIds(`pipe-${at}`), ...record });

it.each(Object.keys(phases) as readonly Kind[])(
  '%s have a phase for each state, are found by both, and listed in the order that the schema promises',
  async (kind) => {
    const states = statesOf(kind);
    const all = states.map(({ state, phase }) => ({ name: nameOf(state), phase }));
    const things = states.map(({ state }, at) => withId({ name: nameOf(state), state }, at + 1));
    const listed = { [`GET ${pipes}`]: result(things), [`GET ${services}`]: result(things) };
    await start({ ...listed, 'GET /api/v2/alerts': data(things) });
    expect(await list(kind)).toEqual(all);
    expect(await list(kind, { phaseIn: [] })).toEqual([]);
    const ofPhase = (phase: string) => all.filter((each) => each.phase === phase);
    for (const phase of new Set(all.map((each) => each.phase))) {
      expect(await list(kind, { phaseIn: [phase] })).toEqual(ofPhase(phase));
    }

    const { body } = await stack.query(`{ __type(name: "${typeOf[kind]}OrderField") {
      enumValues { name description } } }`);
    const { description } = body.data.__type.enumValues.find(
      ({ name }: { readonly name: string }) => name === 'PHASE',
    );
    const found = await list(kind, undefined, { field: 'PHASE' });
    const order = [...new Set(found.map(({ phase }) => phase))];
    expect(description.replaceAll(/\s+/g, ' ')).toContain(`in the order ${order.join(', ')}`);
    expect(found).toEqual(order.flatMap(ofPhase));

    const texts = states.map(({ state }) => state).filter((state) => typeof state === 'string');
    for (const text of texts) {
      const same = texts.filter((other) => other.toLowerCase() === text.toLowerCase());
      const names = (await list(kind, { stateIn: [text.toUpperCase()] })).map(({ name }) => name);
      expect(names).toEqual(same.map(nameOf));
    }
    const [{ state, phase }, other] = [{ ...states[0] }, order.at(-1)];
    expect(await list(kind, { stateIn: [state], phaseIn: [phase] })).toContainEqual(all[0]);
    expect(await list(kind, { stateIn: [state], phaseIn: [other] })).not.toContainEqual(all[0]);
  },
);

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
    const document =
      '{ organization(organizationId: "organization-1") { services { availableCommands } } }';
    const { body } = await stack.query(withIds(document));
    expect(body.data.organization.services).toEqual(cases.map(commandsOf));
  },
);

it('a pipe that no route leads to has no phase', async () => {
  const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404</h1>' };
  await start({ [`GET ${pipePath}`]: page, [`GET ${pipes}`]: page });
  const { body } = await stack.query(`{ ${onePipe} { phase } }`);
  const extensions = { code: 'OPERATION_UNAVAILABLE' };
  expect(body.errors).toMatchObject([{ path: ['pipe', 'phase'], extensions }]);
});

it.each([
  [['owner'], 'sales second odd'],
  [['owner=sales'], 'sales'],
  [['owner=a=b', 'owner=sales', 'no'], 'sales second'],
  [['Owner'], ''],
  [[], ''],
  [null, 'sales second none no odd'],
])('services with one of the tags %j are %j', async (tagIn, names) => {
  const second = [{ key: 'environment' }, { key: 'owner', value: 'a=b' }];
  const tagged = { sales: [{ key: 'owner', value: 'sales' }], second, none: null, no: 'owner' };
  const all = { ...tagged, odd: [null, 7, { key: 'owner' }] };
  const records = Object.entries(all).map(([name, tags], at) => withId({ name, tags }, at));
  await start({ [`GET ${services}`]: result(records) });
  expect((await list('services', { tagIn })).map(({ name }) => name).join(' ')).toBe(names);
});
