import { afterEach, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { json, type Stack, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const backend = createBackend(
  worldOf({
    organizations: 1,
    services: 1,
    pipesPerService: 2,
    dashboards: 0,
    tilesPerDashboard: 0,
    alerts: 0,
  }),
);

let stack: Stack;
afterEach(() => stack.close());

const ids = 'organizationId: "organization-1", serviceId: "service-1"';
const stop = (pipe: string, below: string) =>
  `${pipe}: stopPipe(input: {${ids}, pipeId: "pipe-${pipe.slice(1)}"}) { pipe { name ${below} } userErrors { code } }`;

it('a mutation has answered before what is deferred below its payload is read', async () => {
  const gate = createGate();
  stack = await startStack({
    ...backend,
    management: (call) => (call.method === 'GET' ? gate.answering(call) : backend.management(call)),
  });
  const document = withIds(`mutation { ${stop('p1', '... @defer { service { name } }')} }`);
  const { parts, ended } = askInParts(stack, document);
  await until(() => parts.length === 1);
  expect(parts.map(({ data, hasNext }) => ({ data, hasNext }))).toEqual([
    { data: { p1: { pipe: { name: 'Pipe 1' }, userErrors: [] } }, hasNext: true },
  ]);
  const read = await gate.arrived(1);
  read.answer(await backend.management(read.call));
  expect((await ended).slice(1)).toEqual([
    {
      incremental: [{ data: { service: { name: 'Service 1' } }, path: ['p1', 'pipe'] }],
      hasNext: false,
    },
  ]);
});

it('its calls are the same with @defer and without, one mutation after the other', async () => {
  stack = await startStack(backend);
  const document = (directive: string) =>
    withIds(
      `mutation { ${stop('p1', `... ${directive} { service { pipes { state } } }`)} ${stop('p2', '')} }`,
    );
  const sent = () => stack.calls.map(({ method, path }) => `${method} ${withNames(path)}`);
  await stack.query(document(''));
  const without = sent();
  const parts = await askInParts(stack, document('@defer')).ended;
  expect(sent().slice(without.length).sort()).toEqual(without.sort());
  expect(without.filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
  expect(parts[0]?.data).toEqual({
    p1: { pipe: { name: 'Pipe 1' }, userErrors: [] },
    p2: { pipe: { name: 'Pipe 2' }, userErrors: [] },
  });
});

it('what is deferred below its payload has as much time as a later mutation of the operation', async () => {
  const clock = stopTime();
  const gate = createGate();
  stack = await startStack({
    ...backend,
    management: (call) =>
      call.method === 'GET' || withNames(call.path).endsWith('/pipe-2/state')
        ? gate.answering(call)
        : backend.management(call),
    config: { operationTimeoutMs: 2000, deferTimeoutMs: 1000, writeTimeoutMs: 60_000 },
  });
  const document = withIds(
    `mutation { ${stop('p1', '... @defer { service { pipes { name } } }')} ${stop('p2', '')} }`,
  );
  const { parts, ended } = askInParts(stack, document);
  await clock.still(() => gate.calls.length === 2);
  expect(gate.calls.map(({ call }) => call.method).sort()).toEqual(['GET', 'PATCH']);
  clock.advance(10_000);
  for (const method of ['PATCH', 'GET']) {
    const waiting = gate.calls.find(({ call }) => call.method === method);
    waiting?.answer(await backend.management(waiting.call));
    if (method === 'PATCH') await clock.still(() => parts.length === 1);
  }
  const pipes = [{ name: 'Pipe 1' }, { name: 'Pipe 2' }];
  expect((await ended).slice(1)).toEqual([
    { incremental: [{ data: { service: { pipes } }, path: ['p1', 'pipe'] }], hasNext: false },
  ]);
});

it('one that is refused says so in its first part, and has no other', async () => {
  stack = await startStack({
    ...backend,
    management: () => json({ status: 409, error: 'CONFLICT: no' }, 409),
  });
  const document = withIds(`mutation { ${stop('p1', '... @defer { service { name } }')} }`);
  const { ended, head } = askInParts(stack, document);
  expect(await ended).toEqual([
    { data: { p1: { pipe: null, userErrors: [{ code: 'CONFLICT' }] } } },
  ]);
  expect(head().headers['content-type']).toContain('application/json');
  expect(stack.calls).toHaveLength(1);
});
