import { afterAll, beforeAll, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { type Stack, startSandboxStack } from '../support/harness.ts';

const { organizationId } = world.management.main;

let stack: Stack;
beforeAll(async () => {
  stack = await startSandboxStack();
});
afterAll(() => stack.close());

interface Pipe {
  readonly id: string;
  readonly serviceId: string;
  readonly state: string;
  readonly phase: string;
  readonly availableCommands: readonly string[];
}

const readPipes = async (): Promise<readonly Pipe[]> => {
  const { body } = await stack.query(`{ organization(id: "${organizationId}") {
    services { pipes { id serviceId state phase availableCommands } } } }`);
  expect(body.errors).toBeUndefined();
  return body.data.organization.services.flatMap(
    (service: { readonly pipes: readonly Pipe[] }) => service.pipes,
  );
};

const isTaken = async ({ id, serviceId }: Pipe, field: string): Promise<boolean> => {
  const { body } = await stack.query(`mutation { ${field}(input: {
    organizationId: "${organizationId}", serviceId: "${serviceId}", pipeId: "${id}"
  }) { pipe { phase } userErrors { code } } }`);
  expect(body.errors).toBeUndefined();
  return body.data[field].userErrors.length === 0;
};

it('the sandbox has pipes in several phases', async () => {
  const phases = new Set((await readPipes()).map(({ phase }) => phase));
  expect([...phases].sort()).toEqual(['COMPLETED', 'FAILED', 'RUNNING', 'STOPPED']);
});

// The sandbox is written from the reference, and knows nothing of the gateway.
it.each([
  ['RESYNC', 'resyncPipe'],
  ['START', 'startPipe'],
])('%s is offered for those pipes that take it', async (command, field) => {
  // Anew for each pipe: a command changes what the pipe takes.
  const pipes = await readPipes();
  expect(pipes.length).toBeGreaterThan(5);
  for (const pipe of pipes) {
    expect([pipe.id, await isTaken(pipe, field)]).toEqual([
      pipe.id,
      pipe.availableCommands.includes(command),
    ]);
  }
});

it('STOP is taken by all pipes, and offered for those that it changes', async () => {
  for (const pipe of await readPipes()) {
    expect([pipe.state, pipe.availableCommands.includes('STOP')]).toEqual([
      pipe.state,
      !['Stopped', 'Failed', 'Completed'].includes(pipe.state),
    ]);
    expect(await isTaken(pipe, 'stopPipe')).toBe(true);
  }
});

it('a pipe that is changing is CHANGING', async () => {
  const [pipe] = await readPipes();
  if (!pipe) throw new Error('the sandbox has no pipe');
  const { body } = await stack.query(`mutation { stopPipe(input: {
    organizationId: "${organizationId}", serviceId: "${pipe.serviceId}", pipeId: "${pipe.id}"
  }) { pipe { phase availableCommands } } }`);
  expect(body.data.stopPipe.pipe.phase).toBe('CHANGING');
});
