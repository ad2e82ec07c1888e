import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answered, listen, run, sendAlerts } from './run-main.ts';

describe.skipIf(process.platform !== 'linux')('a gateway whose log is not taken', () => {
  const freePort = async (): Promise<number> => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    probe.close();
    await once(probe, 'close');
    if (address === null || typeof address === 'string') throw new Error('there is no free port');
    return address.port;
  };

  const start = async (
    command?: readonly [string, ...string[]],
    env: Readonly<Record<string, string>> = {},
  ) => {
    const upstream = await listen(sendAlerts);
    const port = await freePort();
    const gateway = run(
      {
        PORT: String(port),
        MANAGEMENT_URL: upstream.url,
        OBSERVABILITY_URL: upstream.url,
        NODE_ENV: 'production',
        ...env,
      },
      command,
    );
    const url = `http://127.0.0.1:${port}`;
    const askOnce = async (): Promise<unknown> => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
        body: '{"query":"{ alerts { name } }"}',
      });
      return response.json();
    };
    /** Asks so often, some at a time. */
    const ask = async (requests: number): Promise<void> => {
      for (let count = 0; count < requests; count += 50) {
        const all = await Promise.all(Array.from({ length: 50 }, askOnce));
        expect(all).toEqual(all.map(() => answered));
      }
    };
    // No line tells that it listens.
    const listens = async (): Promise<boolean> =>
      (await fetch(`${url}/healthz`).catch(() => undefined))?.ok ?? false;
    await expect.poll(listens).toBe(true);
    return { ...gateway, ask };
  };

  it('answers, and ends when told to, on a full disk', async () => {
    const gateway = await start([
      'sh',
      '-c',
      `exec "$0" src/main.ts > /dev/full`,
      process.execPath,
    ]);
    // More than one batch of lines.
    await gateway.ask(500);
    gateway.signalGroup('SIGTERM');
    expect(await gateway.ended).toEqual({ code: 0, signal: null, text: '', errors: '' });
  });

  it.each(['a reader who comes back', 'a reader who does not'])(
    'answers and ends with %s',
    async (reader) => {
      const gateway = await start();
      gateway.child.stdout.pause();
      const requests = 4000;
      await gateway.ask(requests);
      if (reader === 'a reader who comes back') {
        gateway.child.stdout.resume();
        await expect.poll(() => gateway.lines('operation').length).toBe(requests);
      }
      const exited = once(gateway.child, 'exit');
      gateway.signalGroup('SIGTERM');
      expect(await exited).toEqual([0, null]);
      gateway.child.stdout.resume();
      await gateway.ended;
    },
  );

  it.each([
    ['a socket', undefined],
    ['a pipe', ['sh', '-c', '"$0" src/main.ts | cat', process.execPath] as const],
  ])('leaves the lines of several processes whole in %s that is full', async (_, command) => {
    const gateway = await start(command, { WORKERS: '3' });
    gateway.child.stdout.pause();
    await gateway.ask(6000);
    gateway.child.stdout.resume();
    // A line in two pieces is no JSON.
    await expect.poll(() => gateway.lines('operation').length).toBe(6000);
  });

  const childrenOf = (pid: number): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter(Boolean);

  it.each(['a socket', 'a pipe'])(
    'answers and ends with a reader who does not, where a worker is replaced: %s',
    async (kind) => {
      // Two processes have the same pipe or socket, and a third comes.
      const script = 'mkfifo "$1/log"; sleep 300 < "$1/log" & exec "$0" src/main.ts > "$1/log"';
      const folder = await mkdtemp(join(tmpdir(), 'log-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const command = ['sh', '-c', script, process.execPath, folder] as const;
      const gateway = await start(kind === 'a pipe' ? command : undefined, { WORKERS: '2' });
      gateway.child.stdout.pause();
      const workers = (): readonly number[] =>
        childrenOf(gateway.child.pid ?? 0).filter((pid) =>
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.ts'),
        );
      await gateway.ask(3000);
      const [first, ...others] = workers();
      if (first === undefined) throw new Error('there is no worker');
      process.kill(first, 'SIGKILL');
      await expect
        .poll(() => workers().filter((pid) => pid !== first).length)
        .toBe(others.length + 1);
      await gateway.ask(3000);
      const exited = once(gateway.child, 'exit');
      gateway.child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      gateway.child.stdout.resume();
      if (kind === 'a pipe') gateway.signalGroup('SIGKILL');
      await gateway.ended;
    },
  );

  /** In a session of its own, so that the end of the terminal is told to others alone; `code` is its exit code. */
  const startInTerminal = async (output = '') => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'code');
    const keep = `${process.execPath} src/main.ts; echo $? > ${file}`;
    const command = `exec setsid --wait sh -c '${keep}' ${output}`;
    const gateway = await start(['script', '--quiet', '--command', command, '/dev/null']);
    const [pid] = childrenOf(gateway.child.pid ?? 0)
      .flatMap(childrenOf)
      .flatMap(childrenOf);
    if (pid === undefined) throw new Error('there is no gateway in the terminal');
    const code = (): string | undefined => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    };
    onTestFinished(() => {
      if (code() === undefined) process.kill(pid, 'SIGKILL');
    });
    return { ...gateway, pid, code };
  };

  it.each([
    ['', ''],
    [', and that only its own session could open anew', '> /dev/tty'],
  ])(
    'answers and ends in a terminal that shows nothing more, as after Ctrl-S%s',
    async (...how) => {
      const gateway = await startInTerminal(how[1]);
      gateway.child.stdout.pause();
      await gateway.ask(4000);
      process.kill(gateway.pid, 'SIGTERM');
      await expect.poll(gateway.code).toBe('0\n');
      const shown = gateway.output.text.split('INFO  operation').length - 1;
      expect(shown).toBeLessThan(4000);
    },
  );

  it('answers and ends in a terminal that is closed', async () => {
    const gateway = await startInTerminal();
    await gateway.ask(50);
    await expect.poll(() => gateway.output.text).toContain('INFO  operation');
    gateway.child.kill('SIGKILL');
    await gateway.ask(500);
    process.kill(gateway.pid, 'SIGTERM');
    await expect.poll(gateway.code).toBe('0\n');
  });
});
