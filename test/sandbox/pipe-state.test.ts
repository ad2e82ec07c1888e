import { describe, expect, it } from 'vitest';
import type { Pipe } from '../../sandbox/management/pipe-shapes.ts';
import { createClock, open, pipe, service } from '../support/sandbox/harness.ts';

const running = pipe('production', 'clickstream');
const snapshot = pipe('production', 'orders');
const failed = pipe('staging', 'stagingClickstream');
const stopped = pipe('trial', 'crm');

const openAt = async (path: string) => {
  const clock = createClock();
  const { management } = await open({ clock: clock.read, transitionMs: 1000 });
  return {
    clock,
    management,
    send: (body: unknown) => management<Pipe>('PATCH', `${path}/state`, body),
    state: async () => (await management<Pipe>('GET', path)).body.result.state,
  };
};

describe('pipe state command (rule 5)', () => {
  it.each([
    ['stop', 'a running pipe', running, 'Stopping', 'Stopped'],
    ['stop', 'a failed pipe', failed, 'Stopping', 'Stopped'],
    ['stop', 'a stopped pipe', stopped, 'Stopping', 'Stopped'],
    ['start', 'a stopped pipe', stopped, 'Provisioning', 'Running'],
    ['start', 'a failed pipe', failed, 'Provisioning', 'Running'],
    ['resync', 'a stopped Postgres pipe', stopped, 'Resync', 'Running'],
    ['resync', 'a Postgres pipe in its snapshot', snapshot, 'Resync', 'Running'],
  ])('%s takes %s there by the clock', async (command, _, path, through, to) => {
    const { clock, send, state } = await openAt(path);
    const reply = await send({ command });
    expect(reply.status).toBe(200);
    expect(reply.body.result).toMatchObject({
      state: through,
      updatedAt: '2026-11-21T12:00:00.000Z',
    });
    clock.advance(999);
    expect(await state()).toBe(through);
    clock.advance(1);
    expect(await state()).toBe(to);
  });

  it('the list shows the state of the moment too', async () => {
    const { clock, send, management } = await openAt(running);
    await send({ command: 'stop' });
    const first = async () =>
      (await management<readonly Pipe[]>('GET', `${service('production')}/pipes`)).body.result[0]
        ?.state;
    expect(await first()).toBe('Stopping');
    clock.advance(1000);
    expect(await first()).toBe('Stopped');
  });

  it('an update on the way does not change the way', async () => {
    const { clock, send, state, management } = await openAt(running);
    await send({ command: 'stop' });
    const renamed = await management<Pipe>('PATCH', running, { name: 'renamed' });
    expect(renamed.body.result.state).toBe('Stopping');
    clock.advance(1000);
    expect(await state()).toBe('Stopped');
  });

  it('refuses to start a pipe that runs, is stopping or is being started', async () => {
    const { clock, send, state } = await openAt(running);
    const refusal = async () => {
      const reply = await send({ command: 'start' });
      return [reply.status, reply.body.error];
    };
    const because = (name: string) => [
      409,
      `CONFLICT: start is allowed in state Stopped or Failed, the pipe is ${name}`,
    ];
    expect(await refusal()).toEqual(because('Running'));
    await send({ command: 'stop' });
    expect(await refusal()).toEqual(because('Stopping'));
    clock.advance(1000);
    expect((await send({ command: 'start' })).body.result.state).toBe('Provisioning');
    expect(await refusal()).toEqual(because('Provisioning'));
    clock.advance(1000);
    expect(await state()).toBe('Running');
  });

  it.each([running, failed, pipe('production', 'telemetry'), pipe('production', 'archive')])(
    'refuses to resync %s, which is not Postgres',
    async (path) => {
      const { send, state } = await openAt(path);
      const before = await state();
      const reply = await send({ command: 'resync' });
      expect([reply.status, reply.body.error]).toEqual([
        400,
        'BAD_REQUEST: resync applies only to Postgres pipes',
      ]);
      expect(await state()).toBe(before);
    },
  );

  it('a new pipe comes up by the clock', async () => {
    const { clock, management } = await openAt(running);
    const pipes = `${service('production')}/pipes`;
    const body = { name: 'new', source: { kinesis: {} }, destination: {} };
    const { id, state } = (await management<Pipe>('POST', pipes, body)).body.result;
    expect(state).toBe('Provisioning');
    clock.advance(1000);
    const read = await management<Pipe>('GET', `${pipes}/${id}`);
    expect(read.body.result.state).toBe('Running');
  });

  it.each([{ command: 'stop' }, { state: 'stop' }, { action: 'stop' }, { command: 'stop', x: 1 }])(
    'takes the command from %j: the name of its member is not shown',
    async (body) => {
      const { send } = await openAt(running);
      expect((await send(body)).body.result.state).toBe('Stopping');
    },
  );

  const none = 'the body must carry one command: start, stop or resync';
  const unknown = 'the command must be one of start, stop, resync';
  it.each([
    [{}, none],
    [[], none],
    [{ state: 'stop', action: 'stop' }, none],
    [{ command: 'pause' }, unknown],
    [{ command: 'STOP' }, unknown],
    [{ command: null }, unknown],
    [['stop', 'stop'], none],
  ])('refuses %j', async (body, sentence) => {
    const { send } = await openAt(running);
    const reply = await send(body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });
});
