import { describe, expect, it } from 'vitest';
import { answered, listen, run, sendAlerts, until } from './run-main.ts';
import { first, launch, npm, type Signal, start, startAndAsk } from './workers-gateway.ts';

const info = 30;

// Signals to processes are POSIX's.
describe.skipIf(process.platform === 'win32')('WORKERS', () => {
  describe('at the start', () => {
    it('all listen on one port, said once, and each answers and logs under its pid', async () => {
      const backend = await listen((response) => response.writeHead(503).end());
      const gateway = await start({ backend: backend.url, workers: 3 });
      expect(new Set(gateway.workers).size).toBe(3);
      expect(gateway.workers).not.toContain(gateway.child.pid);
      const failures = () => gateway.lines('upstream call failed').map(({ pid }) => pid);
      for (const pid of gateway.workers) {
        await gateway.alone(pid, async () => {
          expect(await gateway.ask()).toMatchObject({ data: { alerts: null } });
          await until(() => failures().includes(pid));
        });
      }
      expect(new Set(failures())).toEqual(new Set(gateway.workers));
      expect(gateway.lines('listening')).toEqual([
        expect.objectContaining({ pid: gateway.child.pid, host: '127.0.0.1', path: '/graphql' }),
      ]);
    });

    it.each([
      { setting: undefined, policy: 'SCHED_NONE' },
      { setting: 'rr', policy: 'SCHED_RR' },
    ])('with NODE_CLUSTER_SCHED_POLICY $setting, connections go by $policy', async (given) => {
      const gateway = await start({
        backend: 'http://127.0.0.1:1',
        env: {
          ...first(`
            process.on('exit', () => {
              if (!cluster.isPrimary) return;
              const policy = ['SCHED_NONE', 'SCHED_RR'].find((name) => cluster[name] === cluster.schedulingPolicy);
              process.stderr.write(policy + '\\n');
            });
          `),
          ...(given.setting && { NODE_CLUSTER_SCHED_POLICY: given.setting }),
        },
      });
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, errors: `${given.policy}\n` });
    });

    it('the primary loads nothing of the gateway', async () => {
      const backend = await listen(sendAlerts);
      const gateway = await start({
        backend: backend.url,
        env: first(`
          import { registerHooks } from 'node:module';
          const loaded = new Set();
          registerHooks({
            load: (url, context, next) => {
              const [name] = url.match(/src\\/[\\w-]+\\.ts$|node_modules\\/[^/]+/) ?? [];
              if (name) loaded.add(name);
              return next(url, context);
            },
          });
          process.on('exit', () => {
            const line = JSON.stringify({ primary: cluster.isPrimary, loaded: [...loaded] });
            process.stderr.write(line + '\\n');
          });
        `),
      });
      gateway.child.kill('SIGTERM');
      const { errors } = await gateway.ended;
      const processes = errors
        .trimEnd()
        .split('\n')
        .map((line): { primary: boolean; loaded: readonly string[] } => JSON.parse(line));
      const loadedBy = (wanted: boolean): readonly string[] =>
        processes.filter(({ primary }) => primary === wanted).flatMap(({ loaded }) => loaded);
      const small = [
        'config',
        'persisted-manifest',
        'hash',
        'is-object',
        'log',
        'log-output',
        'log-target',
      ];
      expect(
        loadedBy(true)
          .filter((name) => name.startsWith('src/'))
          .sort(),
      ).toEqual(
        ['main', 'garbage', ...small, 'workers', 'restart-delay']
          .map((name) => `src/${name}.ts`)
          .sort(),
      );
      expect(loadedBy(true)).not.toContain('node_modules/graphql');
      expect(loadedBy(false)).toContain('node_modules/graphql');
    });

    it('a wrong setting is told once, by a process that starts no other', async () => {
      const { code, text, errors } = await run({ WORKERS: '2', PORT: 'http' }).ended;
      expect([code, text]).toEqual([1, '']);
      expect(errors.match(/PORT must be/g)).toHaveLength(1);
      expect(errors.match(/MANAGEMENT_URL is required/g)).toHaveLength(1);
    });

    it('a port in use is told in one line, and ends all with 1', async () => {
      const taken = await listen(sendAlerts);
      const gateway = launch({
        backend: taken.url,
        workers: 3,
        env: { PORT: String(taken.port) },
      });
      const { code, text, errors } = await gateway.ended;
      expect([code, text]).toEqual([1, '']);
      expect(errors).toBe(
        `Sluice cannot listen on 127.0.0.1:${taken.port} (HOST, PORT): EADDRINUSE\n`,
      );
    });

    it('a worker that ends before it listens ends all with 1', async () => {
      const env = first('if (cluster.isWorker) process.exit(7);');
      const gateway = launch({ backend: 'http://127.0.0.1:1', env });
      const { code, text, errors } = await gateway.ended;
      expect([code, text]).toEqual([1, '']);
      expect(errors).toMatch(/^Sluice cannot start: [^\n]*"code":7[^\n]*\n$/);
    });

    it('SIGTERM is heeded', async () => {
      const env = first("if (cluster.isWorker) process.stderr.write('worker\\n');");
      const gateway = launch({ backend: 'http://127.0.0.1:1', env });
      await until(() => gateway.output.errors.includes('worker'));
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, signal: null });
      expect(gateway.lines('listening')).toEqual([]);
      expect(gateway.lines('stopped')).toHaveLength(1);
    });
  });

  describe('when all are to stop', () => {
    const signals: readonly Signal[] = [
      { title: 'SIGTERM to the primary', send: ({ child }) => child.kill('SIGTERM') },
      { title: 'SIGINT to the primary', send: ({ child }) => child.kill('SIGINT') },
      { title: 'SIGTERM to all', send: ({ signalGroup }) => signalGroup('SIGTERM') },
      { title: 'SIGINT to all, as by Ctrl-C', send: ({ signalGroup }) => signalGroup('SIGINT') },
      {
        title: 'SIGHUP twice to all, as by the end of a terminal',
        send: ({ signalGroup }) => (['SIGHUP', 'SIGHUP'] as const).forEach(signalGroup),
      },
      { title: 'SIGTERM to npm', send: ({ child }) => child.kill('SIGTERM'), command: npm },
      ...(['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(
        (signal): Signal => ({
          title: `${signal} to npm and all`,
          send: ({ signalGroup }) => signalGroup(signal),
          command: npm,
        }),
      ),
    ];

    it.each(signals)(
      'on $title, they answer what is under way and leave',
      async ({ send, command }) => {
        const gateway = await startAndAsk(
          command && { command, env: { HOME: process.env.HOME ?? '' } },
        );
        send(gateway);
        await gateway.logged('stopping');
        await gateway.closed();
        gateway.release();
        expect(await gateway.asked).toEqual([answered, answered]);
        const { code, errors } = await gateway.ended;
        if (!command) expect([code, errors]).toEqual([0, '']);
        const stopped = gateway.lines('worker stopped');
        expect(stopped.map(({ level, code }) => [level, code])).toEqual([
          [info, 0],
          [info, 0],
        ]);
        for (const message of ['worker died', 'worker leaving', 'worker listening']) {
          expect(gateway.lines(message)).toEqual([]);
        }
        expect(gateway.lines('stopped')).toHaveLength(1);
      },
    );

    it.each<Signal>([
      { title: 'the primary', send: ({ child }) => child.kill('SIGINT') },
      { title: 'all', send: ({ signalGroup }) => signalGroup('SIGINT') },
    ])('a second signal to $title ends them at once', async ({ send }) => {
      const gateway = await startAndAsk();
      send(gateway);
      await gateway.logged('stopping');
      send(gateway);
      expect(await gateway.ended).toMatchObject({ code: 1 });
      expect(await gateway.asked).toEqual(['cut off', 'cut off']);
      expect(gateway.lines('stopped')).toEqual([]);
    });

    it('since the primary was killed, they answer what is under way and leave', async () => {
      const gateway = await startAndAsk();
      gateway.child.kill('SIGKILL');
      await gateway.logged('stopping, as the primary process is gone', 2);
      gateway.release();
      expect(await gateway.asked).toEqual([answered, answered]);
      expect(await gateway.ended).toMatchObject({ code: null, signal: 'SIGKILL', errors: '' });
    });
  });

  describe('a worker is replaced, and what is under way answered', () => {
    it('on SIGTERM to one of them', async () => {
      const gateway = await startAndAsk();
      const [leaving = 0, staying] = gateway.workers;
      process.kill(leaving, 'SIGTERM');
      expect(await gateway.logged('worker leaving')).toMatchObject({ worker: leaving });
      const { worker } = await gateway.logged('worker listening');
      expect([leaving, staying]).not.toContain(worker);
      gateway.release();
      expect(await gateway.asked).toEqual([answered, answered]);
      const stopped = { level: info, worker: leaving, code: 0, signal: null };
      expect(await gateway.logged('worker stopped')).toMatchObject(stopped);
      expect(await Promise.all([gateway.ask(), gateway.ask()])).toEqual([answered, answered]);
      expect(gateway.lines('worker died')).toEqual([]);
    });

    it('on SIGUSR2 to the primary, which replaces all', async () => {
      const gateway = await startAndAsk();
      gateway.child.kill('SIGUSR2');
      await gateway.logged('worker listening', 2);
      gateway.release();
      expect(await gateway.asked).toEqual([answered, answered]);
      await gateway.logged('worker stopped', 2);
      expect(new Set(gateway.lines('worker stopped').map(({ worker }) => worker))).toEqual(
        new Set(gateway.workers),
      );
      expect(await Promise.all([gateway.ask(), gateway.ask()])).toEqual([answered, answered]);
      expect(gateway.lines('worker listening')).toHaveLength(2);
    });
  });
});
