import { afterAll, beforeAll, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { paced, startSandboxStack } from '../support/harness.ts';

const { organizationId, services, pipes } = world.management.main;
const inService = `organizationId: "${organizationId}", serviceId: "${services.production}"`;
const pipe = `${inService}, pipeId: "${pipes.clickstream}"`;

let time = Date.parse('2026-11-21T10:00:00Z');
let stack: Awaited<ReturnType<typeof startSandboxStack>>;
beforeAll(async () => {
  stack = await startSandboxStack({
    sandbox: { clock: () => new Date(time), profile: 'live' },
    config: { ...paced, managementRate: undefined, managementProfile: 'clickhouse-cloud' },
  });
});
afterAll(() => stack.close());

const read = async (document: string) => (await stack.query(document)).body;

// The service's own words name a REST command.
const asleep =
  'The service is not running. Use wakeService if it is idle, and startService if it is stopped.';

const readPipe = `{ pipe(${pipe}) { name } }`;
const readNames = `{ service(${inService}) { pipes { name } } }`;

it('shows nothing of a deleted pipe that was read before', async () => {
  expect(await read(readPipe)).toEqual({ data: { pipe: { name: 'clickstream' } } });
  expect(await read(readNames)).toMatchObject({
    data: { service: { pipes: expect.arrayContaining([{ name: 'clickstream' }]) } },
  });
  const deleted = await read(`mutation { deletePipe(input: { ${pipe} }) { deletedPipeId } }`);
  expect(deleted).toEqual({ data: { deletePipe: { deletedPipeId: pipes.clickstream } } });
  expect(await read(readPipe)).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  const { data } = await read(readNames);
  expect(data.service.pipes).not.toContainEqual({ name: 'clickstream' });
});

it('shows no pipes from memory while their service is stopped, and its state at once', async () => {
  const readState = `{ service(${inService}) { state } }`;
  expect(await read(readState)).toEqual({ data: { service: { state: 'running' } } });
  expect((await read(readNames)).errors).toBeUndefined();
  await read(`mutation { stopService(input: { ${inService} }) { service { state } } }`);
  expect(await read(readState)).toEqual({ data: { service: { state: 'stopping' } } });
  expect((await read(readNames)).errors).toMatchObject([
    {
      message: asleep,
      extensions: { code: 'SERVICE_NOT_RUNNING', retryable: false, upstream: { status: 424 } },
    },
  ]);
  const refused = await read(
    `mutation { createPipe(input: { ${inService}, source: { kinesis: { streamName: "s" } } }) {
      userErrors { code message }
    } }`,
  );
  expect(refused).toEqual({
    data: { createPipe: { userErrors: [{ code: 'SERVICE_NOT_RUNNING', message: asleep }] } },
  });
  time += 60_000;
  await read(`mutation { startService(input: { ${inService} }) { service { state } } }`);
  time += 60_000;
  expect((await read(readNames)).errors).toBeUndefined();
});
