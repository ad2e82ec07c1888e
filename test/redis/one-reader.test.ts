import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { data } from '../support/harness.ts';
import { ofService, pipeIds, pipePath, pipeQuery, stopPipe } from '../support/live-world.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';

const alerts = '{ alerts { name } }';
const board = (name: string) => data([{ id: 'a', name }]);
const shown = (name: string) => ({ alerts: [{ name }] });

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('one reads for itself what the other has been reading for long', async () => {
    const gate = createGate();
    const { one, other } = await startTwoOverRedis({ observability: gate.answering });
    const first = one.query(alerts);
    const hanging = await gate.arrived(1);
    const second = other.query(alerts);
    (await gate.arrived(2)).answer(board('lag'));
    expect((await second).body.data).toEqual(shown('lag'));
    hanging.answer(board('late'));
    expect((await first).body.data).toEqual(shown('late'));
  });

  it('one shows what is old at once while the other reads it anew, and later what that has read', async () => {
    const gate = createGate();
    const { one, other } = await startTwoOverRedis({ observability: gate.answering });
    const first = one.query(alerts);
    (await gate.arrived(1)).answer(board('old'));
    await first;
    await other.query(alerts);
    // It is fresh for three seconds.
    await pause(3100);
    const [renewing, waiting] = [one.query(alerts), gate.arrived(2)];
    await waiting;
    const answers = await Promise.all([renewing, other.query(alerts)]);
    expect(answers.map(({ body }) => body.data)).toEqual([shown('old'), shown('old')]);
    expect(gate.calls).toHaveLength(2);
    (await waiting).answer(board('new'));
    for (const { query } of [one, other]) {
      await expect.poll(async () => (await query(alerts)).body.data).toEqual(shown('new'));
    }
    expect(gate.calls).toHaveLength(2);
  });

  it('one shares what it has asked a slow Redis for while another of its requests read a list instead', async () => {
    const { redis, one, other, calls } = await startTwoOverRedis();
    await redis.command('CLIENT', 'PAUSE', '300');
    const asked = [one.query(pipeQuery)];
    await pause(100);
    const ids = pipeIds
      .slice(0, 2)
      .map((id, index) => `p${index}: pipe(${ofService}, pipeId: "${id}") { name }`);
    asked.push(one.query(`{ ${ids.join(' ')} }`));
    await Promise.all(asked);
    calls();
    await other.query(pipeQuery);
    expect(calls()).toEqual([]);
  });

  it('neither keeps what is read after a write through the other whose outcome is unknown', async () => {
    const { one, other, world, calls } = await startTwoOverRedis();
    world.fail(`PATCH ${pipePath()}/state`, 502);
    await one.query(stopPipe());
    calls();
    for (const { query } of [one, other, one, other]) await query(pipeQuery);
    expect(calls()).toHaveLength(4);
  });
});
