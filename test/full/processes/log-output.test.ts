import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answered, listen, run, sendAlerts } from '../../support/process/run-main.ts';
import { subscribe } from '../../support/subscribe.ts';

describe.skipIf(process.platform !== 'linux')('a gateway', () => {
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
    return { ...gateway, url, listens, ask };
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

  it('answers, and ends when told to, where its reader has gone', async () => {
    const gateway = await start();
    gateway.child.stdout.destroy();
    await gateway.ask(500);
    const exited = once(gateway.child, 'exit');
    gateway.signalGroup('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('loses no line of what it did before it ended', async () => {
    const gateway = await start();
    await gateway.ask(500);
    gateway.signalGroup('SIGTERM');
    await gateway.ended;
    expect(gateway.lines('operation')).toHaveLength(500);
    expect(gateway.lines('stopped')).toHaveLength(1);
  });

  it('writes what waits for a slow reader once it reads on, and before it ends', async () => {
    const gateway = await start();
    // Node itself opens standard output for the first stream. From then on no write waits for a reader.
    const stream = await subscribe(`${gateway.url}/graphql`, 'subscription { alerts { name } }');
    await stream.event(1);
    gateway.child.stdout.pause();
    // Three times what fits in between.
    await gateway.ask(1000);
    gateway.child.stdout.resume();
    await expect.poll(() => gateway.lines('operation').length).toBe(1000);

    gateway.child.stdout.pause();
    await gateway.ask(1000);
    gateway.signalGroup('SIGTERM');
    // Its last line comes after that.
    await stream.ended;
    await expect.poll(gateway.listens).toBe(false);
    gateway.child.stdout.resume();
    await gateway.ended;
    expect(gateway.lines('operation')).toHaveLength(2000);
    expect(gateway.lines('stopped')).toHaveLength(1);
  });

  const childrenOf = (pid: number): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter(Boolean);

  /** In a session of its own, so that the end of the terminal is told to others alone; `code` is its exit code. */
  const startInTerminal = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'code');
    const keep = `${process.execPath} src/main.ts; echo $? > ${file}`;
    const command = `exec setsid --wait sh -c '${keep}'`;
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

  it('answers and ends in a terminal that is closed', async () => {
    const gateway = await startInTerminal();
    await gateway.ask(50);
    await expect.poll(() => gateway.output.text).toMatch(/INFO.*operation/);
    gateway.child.kill('SIGKILL');
    await gateway.ask(500);
    process.kill(gateway.pid, 'SIGTERM');
    await expect.poll(gateway.code).toBe('0\n');
  });
});

describe('LOG_FORMAT', () => {
  const startWith = async (env: Readonly<Record<string, string>>) => {
    const upstream = await listen(sendAlerts);
    return run({
      PORT: '0',
      MANAGEMENT_URL: upstream.url,
      OBSERVABILITY_URL: upstream.url,
      ...env,
    });
  };

  it('is JSON where no terminal shows the log', async () => {
    const gateway = await startWith({});
    expect(await gateway.logged('listening')).toMatchObject({ level: 30, path: '/graphql' });
  });

  it('has lines for people where it is pretty', async () => {
    const gateway = await startWith({ LOG_FORMAT: 'pretty' });
    await expect.poll(() => gateway.output.text).toMatch(/INFO.*listening/);
    expect(gateway.output.text).not.toContain('{"level"');
  });

  it('shows the same of an operation in both forms', async () => {
    for (const LOG_FORMAT of ['json', 'pretty']) {
      const gateway = await startWith({ LOG_FORMAT });
      await expect.poll(() => gateway.output.text).toMatch(/port"?: ?\d+/);
      const port = /port"?: ?(\d+)/.exec(gateway.output.text)?.[1];
      await fetch(`http://127.0.0.1:${port}/graphql?query={alerts{name}}`, {
        headers: { authorization: 'Bearer token', 'x-request-id': 'caller-7' },
      });
      await expect.poll(() => gateway.output.text).toMatch(/callsLeft/);
      const plain = stripVTControlCharacters(gateway.output.text).replaceAll('"', '');
      const shown = plain.slice(plain.indexOf('requestId'));
      for (const member of [
        /requestId: ?caller-7/,
        /upstreamCalls: ?1/,
        /waitedMilliseconds: ?\d/,
        /kept: ?{\s*fresh: ?0,\s*stale: ?0\s*}/,
        /callsLeft: ?{\s*management: ?null,\s*observability: ?99\s*}/,
      ]) {
        expect(shown).toMatch(member);
      }
    }
  });

  it('keeps the gateway from starting when it is anything else', async () => {
    const { code, errors } = await (await startWith({ LOG_FORMAT: 'xml' })).ended;
    expect([code, errors]).toEqual([
      1,
      'Sluice cannot start:\n  LOG_FORMAT must be json or pretty, got "xml"\n',
    ]);
  });
});
