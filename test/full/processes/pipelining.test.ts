import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call, postOf } from '../../support/http/caller.ts';
import { run } from '../../support/process/run-main.ts';

const start = async () => {
  const gateway = run({
    ...{ MANAGEMENT_URL: 'http://127.0.0.1:1', OBSERVABILITY_URL: 'http://127.0.0.1:1' },
    PORT: '0',
  });
  const { port } = await gateway.logged('listening');
  const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
  /** Megabytes that the process has in memory. */
  const memory = (): number => {
    const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  return { ...gateway, port: Number(port), health, memory };
};

/** 500 bytes that ask for two megabytes about the schema. */
const aliases = Array.from({ length: 28 }, (_, index) => `a${index}: types { ...f }`).join(' ');
const post = postOf(
  `{ __schema { ${aliases} } } fragment f on __Type { description fields { name description } }`,
);

it.runIf(process.platform === 'linux')(
  'six connections that send very much and read nothing take little memory',
  async () => {
    const { port, health, memory, lines } = await start();
    expect(await health()).toBe(200);
    const before = memory();
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      const { socket } = call(port);
      socket.pause();
      socket.write(post.repeat(150));
    }
    for (let asked = 0; asked < 20; asked += 1) {
      await pause(100);
      expect(await health()).toBe(200);
    }
    expect(lines('operation').length).toBeLessThanOrEqual(30);
    // It was a thousand.
    expect(memory() - before).toBeLessThan(300);
  },
);

it('one connection that sends megabytes of requests has five of them carried out', async () => {
  const { port, health, lines } = await start();
  const { socket, statuses, closed } = call(port);
  socket.write(post.repeat(2000));
  expect(await closed).toBeUndefined();
  expect(statuses()).toHaveLength(5);
  expect(await health()).toBe(200);
  expect(lines('operation')).toHaveLength(5);
});
