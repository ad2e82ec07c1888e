import { describe, expect, it } from 'vitest';
import { answered, listen, sendAlerts } from './run-main.ts';
import { first, start, startAndAsk } from './workers-gateway.ts';

const error = 50;

// Signals to processes are POSIX's.
describe.skipIf(process.platform === 'win32')('a worker that dies', () => {
  it('is replaced, and takes along what it had under way alone', async () => {
    const gateway = await startAndAsk();
    const [victim = 0] = gateway.workers;
    process.kill(victim, 'SIGKILL');
    expect(await gateway.logged('worker died')).toMatchObject({
      level: error,
      worker: victim,
      code: null,
      signal: 'SIGKILL',
    });
    gateway.release();
    expect(await gateway.asked).toEqual(['cut off', answered]);
    const { worker } = await gateway.logged('worker listening');
    expect([...gateway.workers, gateway.child.pid]).not.toContain(worker);
    expect(await Promise.all([gateway.ask(), gateway.ask()])).toEqual([answered, answered]);
    expect(gateway.lines('listening')).toHaveLength(1);
  });

  it('takes no connection while it hangs, so that none is lost with it', async () => {
    const backend = await listen(sendAlerts);
    const gateway = await start({ backend: backend.url });
    const [victim = 0] = gateway.workers;
    process.kill(victim, 'SIGSTOP');
    const ask4 = () => Promise.all([1, 2, 3, 4].map(gateway.ask));
    expect(await ask4()).toEqual([answered, answered, answered, answered]);
    process.kill(victim, 'SIGKILL');
    expect(await ask4()).toEqual([answered, answered, answered, answered]);
    expect(await gateway.logged('worker died')).toMatchObject({ worker: victim });
  });

  it('by an uncaught exception leaves a line in the log, and is replaced', async () => {
    const backend = await listen(sendAlerts);
    const gateway = await start({
      backend: backend.url,
      env: first(`
        if (cluster.isWorker) process.on('SIGUSR2', () => { throw new Error('boom'); });
      `),
    });
    const [victim = 0] = gateway.workers;
    process.kill(victim, 'SIGUSR2');
    expect(await gateway.logged('worker died')).toMatchObject({ worker: victim, code: 1 });
    await gateway.logged('worker listening');
    const fault = await gateway.logged('uncaught exception');
    expect(fault).toMatchObject({
      level: 60,
      pid: victim,
      kind: 'Error',
      at: expect.any(String),
    });
    expect(await gateway.ask()).toEqual(answered);
  });

  it('and the ones after it are replaced ever more slowly, until one lives', async () => {
    const backend = await listen(sendAlerts);
    const gateway = await start({
      backend: backend.url,
      env: first('if (cluster.isWorker && [3, 4, 5].includes(cluster.worker.id)) process.exit(7);'),
    });
    process.kill(gateway.workers[0] ?? 0, 'SIGKILL');
    await gateway.logged('worker died', 4);
    expect(await gateway.ask()).toEqual(answered);
    await gateway.logged('worker listening');
    expect(gateway.lines('worker died').map(({ code }) => code)).toEqual([null, 7, 7, 7]);
    const delays = gateway.lines('starting another worker').map(({ delayMs }) => Number(delayMs));
    // On a slow machine the first to die may have served for long, and is replaced at once.
    const [lead = 0] = delays;
    expect([0, 100]).toContain(lead);
    const next = lead === 0 ? 100 : 200;
    expect(delays.slice(1)).toEqual([next, 2 * next, 4 * next]);
    expect(await Promise.all([gateway.ask(), gateway.ask()])).toEqual([answered, answered]);
  });

  it('is replaced later where the system refuses a process now', async () => {
    const backend = await listen(sendAlerts);
    const gateway = await start({
      backend: backend.url,
      env: first(`
        const { fork } = cluster;
        let forks = 0;
        cluster.fork = (...args) => {
          forks += 1;
          if (forks === 3) throw Object.assign(new Error('spawn'), { code: 'ENOMEM' });
          return fork(...args);
        };
      `),
    });
    process.kill(gateway.workers[0] ?? 0, 'SIGKILL');
    const refused = await gateway.logged('worker could not be started');
    expect(refused).toMatchObject({ level: error, cause: 'ENOMEM' });
    await gateway.logged('worker listening');
    expect(await Promise.all([gateway.ask(), gateway.ask()])).toEqual([answered, answered]);
  });
});
