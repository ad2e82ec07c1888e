import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { answering } from '../support/answering.ts';
import { data, json, result, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

/** States as field-facts.md lists them, with the phase that design.md gives each. */
const pipeStates = [
  ['Running', 'RUNNING'],
  ['Snapshot', 'RUNNING'],
  ['Degraded', 'RUNNING'],
  ['Provisioning', 'CHANGING'],
  ['Setup', 'CHANGING'],
  ['Stopping', 'CHANGING'],
  ['Pausing', 'CHANGING'],
  ['Modifying', 'CHANGING'],
  ['Resync', 'CHANGING'],
  ['Stopped', 'STOPPED'],
  ['Paused', 'STOPPED'],
  ['Failed', 'FAILED'],
  ['InternalError', 'FAILED'],
  ['Completed', 'COMPLETED'],
  ['Unknown', 'UNKNOWN'],
] as const;

type CommandRow = readonly [reference: string, cloud?: string];

/** The commands of the reference's profile in each state, and those of ClickHouse Cloud where they differ. */
const commandsIn = {
  Running: ['STOP'],
  Snapshot: ['STOP'],
  Degraded: ['STOP'],
  Setup: ['STOP'],
  Provisioning: ['STOP'],
  Resync: ['STOP'],
  Modifying: ['STOP'],
  Stopped: ['START'],
  Failed: ['START'],
  Paused: ['STOP', 'START'],
  Pausing: ['', 'START'],
  Stopping: ['', 'START'],
  Completed: [''],
  InternalError: ['STOP', 'START STOP'],
  Unknown: ['STOP', 'START STOP'],
  Hibernating: ['STOP', 'START STOP'],
  constructor: ['STOP', 'START STOP'],
  running: ['STOP', 'START STOP'],
} as const satisfies Readonly<Record<string, CommandRow>>;

const words = (text: string): readonly string[] => text.split(' ').filter(Boolean);

const commandCases = Object.entries<CommandRow>(commandsIn).flatMap(
  ([state, [reference, cloud]]) => [
    [state, 'reference', words(reference)] as const,
    [state, 'clickhouse-cloud', words(cloud ?? reference)] as const,
  ],
);

/** States as live-services.md lists them. */
const serviceStates = [
  ['running', 'RUNNING'],
  ['partially_running', 'RUNNING'],
  ['degraded', 'RUNNING'],
  ['provisioning', 'CHANGING'],
  ['starting', 'CHANGING'],
  ['awaking', 'CHANGING'],
  ['stopping', 'CHANGING'],
  ['terminating', 'CHANGING'],
  ['softdeleting', 'CHANGING'],
  ['idle', 'IDLE'],
  ['stopped', 'STOPPED'],
  ['failed', 'FAILED'],
  ['terminated', 'TERMINATED'],
  ['softdeleted', 'TERMINATED'],
] as const;

const alertStates = [
  ['ALERT', 'FIRING'],
  ['OK', 'OK'],
  ['PENDING', 'PENDING'],
  ['INSUFFICIENT_DATA', 'NO_DATA'],
  ['DISABLED', 'DISABLED'],
  ['active', 'UNKNOWN'],
  ['inactive', 'UNKNOWN'],
] as const;

/** What no service has sent yet, or nothing at all. */
const oddStates = ['Hibernating', '', 'constructor', 'RUNNING', 'alert', null, undefined, 7, {}];

const organization = withIds('/v1/organizations/organization-1');
const list = withIds(`${organization}/services/service-1/pipes`);
const pipeId = withIds('pipe-1');
const ofService = withIds('organizationId: "organization-1", serviceId: "service-1"');

let stack: Stack;
afterEach(() => stack.close());

const start = async (
  management: Parameters<typeof answering>[0],
  observability: Parameters<typeof answering>[0] = {},
  config: Partial<Config> = {},
): Promise<void> => {
  stack = await startStack({
    management: answering(management),
    observability: answering(observability),
    config,
  });
};

/** One pipe, read by itself; what is selected of it, and the calls that this took. */
const readPipe = async (pipe: object, selection: string) => {
  await start({ [`GET ${list}/${pipeId}`]: result({ id: pipeId, ...pipe }) });
  const { body } = await stack.query(
    `{ pipe(${ofService}, pipeId: "${pipeId}") { ${selection} } }`,
  );
  return { body, calls: stack.callList() };
};

describe('a pipe', () => {
  it.each(pipeStates)('in state %s is in phase %s', async (state, phase) => {
    const { body, calls } = await readPipe({ state }, 'state phase');
    expect(body).toEqual({ data: { pipe: { state, phase } } });
    expect(calls).toEqual([`GET ${list}/${pipeId}`]);
  });

  it.each(oddStates)('in state %j is in phase UNKNOWN', async (state) => {
    const { body } = await readPipe({ state }, 'phase availableCommands');
    expect(body).toEqual({ data: { pipe: { phase: 'UNKNOWN', availableCommands: ['STOP'] } } });
  });

  it.each(['phase', 'availableCommands', 'id nodeId now: phase'])(
    'is read where only %s is selected',
    async (selection) => {
      const { body, calls } = await readPipe({ state: 'Stopped' }, selection);
      expect(body.errors).toBeUndefined();
      expect(calls).toEqual([`GET ${list}/${pipeId}`]);
    },
  );

  it('has a phase where its state does not fit the schema', async () => {
    const { body } = await readPipe({ state: { at: 'Running' } }, 'state phase');
    expect(body.data).toEqual({ pipe: { state: null, phase: 'UNKNOWN' } });
    expect(body.errors).toMatchObject([{ path: ['pipe', 'state'] }]);
  });

  it.each(commandCases)(
    'in state %s offers with the profile %s the commands %j',
    async (state, profile, commands) => {
      const sources = [
        { kafka: { topics: 'clicks' } },
        { objectStorage: {} },
        { kinesis: {} },
        { pulsar: {} },
        null,
        { postgres: { host: 'db' } },
        { mysql: {} },
        { mongodb: {} },
      ];
      const pipes = sources.map((source, index) => ({
        id: withIds(`pipe-${index}`),
        state,
        source,
      }));
      const path = profile === 'reference' ? list : list.replace('/pipes', '/clickpipes');
      await start({ [`GET ${path}`]: result(pipes) }, {}, { managementProfile: profile });
      const { body } = await stack.query(
        `{ service(${ofService}) { pipes { availableCommands } } }`,
      );
      const withResync = [...commands, 'RESYNC'];
      const further = profile === 'reference' ? commands : withResync;
      expect(body.data.service.pipes.map((pipe: object) => Object.values(pipe)[0])).toEqual([
        ...Array.from({ length: 5 }, () => commands),
        withResync,
        further,
        further,
      ]);
      expect(stack.callList()).toEqual([`GET ${path}`]);
    },
  );

  it('that was told to stop shows its phase without another call', async () => {
    await start({ [`PATCH ${list}/${pipeId}/state`]: result({ id: pipeId, state: 'Stopping' }) });
    const { body } =
      await stack.query(`mutation { stopPipe(input: {${ofService}, pipeId: "${pipeId}"}) {
      pipe { phase availableCommands } userErrors { code } } }`);
    const pipe = { phase: 'CHANGING', availableCommands: [] };
    expect(body).toEqual({ data: { stopPipe: { pipe, userErrors: [] } } });
    expect(stack.calls).toHaveLength(1);
  });

  it.each(['start', 'stop', 'resync'])(
    'of any known state is sent the command %s',
    async (name) => {
      await start(
        {
          [`GET ${list}/${pipeId}`]: result({ id: pipeId, state: 'Completed' }),
          [`PATCH ${list}/${pipeId}/state`]: result({ id: pipeId, state: 'Completed' }),
        },
        {},
        { readCacheBytes: 1024 * 1024 },
      );
      await stack.query(`{ pipe(${ofService}, pipeId: "${pipeId}") { availableCommands } }`);
      const { body } = await stack.query(`mutation { ${name}Pipe(input: {
      ${ofService}, pipeId: "${pipeId}"}) { userErrors { code } } }`);
      expect(body).toEqual({ data: { [`${name}Pipe`]: { userErrors: [] } } });
      expect(stack.calls.at(-1)?.body).toBe(`{"command":"${name}"}`);
    },
  );

  it.each(['phase', 'availableCommands', 'source { __typename }'])(
    'that no route leads to fails with OPERATION_UNAVAILABLE, and invents no %s',
    async (selection) => {
      const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404</h1>' };
      await start({ [`GET ${list}/${pipeId}`]: page, [`GET ${list}`]: page });
      const { body } = await stack.query(
        `{ pipe(${ofService}, pipeId: "${pipeId}") { ${selection} } }`,
      );
      expect(body.errors).toMatchObject([
        { path: ['pipe', selection.split(' ')[0]], extensions: { code: 'OPERATION_UNAVAILABLE' } },
      ]);
    },
  );
});

describe('a service', () => {
  const path = withIds(`${organization}/services/service-1`);
  const readService = async (state: unknown, selection: string) => {
    await start({ [`GET ${path}`]: result({ id: withIds('service-1'), state }) });
    const { body } = await stack.query(`{ service(${ofService}) { ${selection} } }`);
    return { body, calls: stack.callList() };
  };

  it.each(serviceStates)('in state %s is in phase %s', async (state, phase) => {
    const { body, calls } = await readService(state, 'state phase');
    expect(body).toEqual({ data: { service: { state, phase } } });
    expect(calls).toEqual([`GET ${path}`]);
  });

  it.each(oddStates)('in state %j is in phase UNKNOWN', async (state) => {
    const { body, calls } = await readService(state, 'id phase');
    expect(body).toEqual({ data: { service: { id: withIds('service-1'), phase: 'UNKNOWN' } } });
    expect(calls).toEqual([`GET ${path}`]);
  });
});

describe('an alert', () => {
  const readAlert = async (alert: object, selection: string) => {
    await start({}, { 'GET /api/v2/alerts/a1': data({ id: 'a1', ...alert }) });
    const { body } = await stack.query(`{ alert(id: "a1") { ${selection} } }`);
    return { body, calls: stack.callList() };
  };

  it.each(alertStates)('in state %s is in phase %s', async (state, phase) => {
    const { body, calls } = await readAlert({ state }, 'state phase');
    expect(body).toEqual({ data: { alert: { state, phase } } });
    expect(calls).toEqual(['GET /api/v2/alerts/a1']);
  });

  it.each(oddStates)('in state %j is in phase UNKNOWN', async (state) => {
    const { body, calls } = await readAlert({ state }, 'id phase');
    expect(body).toEqual({ data: { alert: { id: 'a1', phase: 'UNKNOWN' } } });
    expect(calls).toEqual(['GET /api/v2/alerts/a1']);
  });

  it('that is updated shows the phase that the answer has', async () => {
    await start(
      {},
      {
        'GET /api/v2/alerts/a1': data({ id: 'a1', threshold: 1, state: 'ALERT' }),
        'PUT /api/v2/alerts/a1': json({ data: { id: 'a1', threshold: 2, state: 'PENDING' } }),
      },
    );
    const { body } = await stack.query(
      'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { phase } } }',
    );
    expect(body).toEqual({ data: { updateAlert: { alert: { phase: 'PENDING' } } } });
    expect(stack.callList()).toEqual(['GET /api/v2/alerts/a1', 'PUT /api/v2/alerts/a1']);
  });
});
