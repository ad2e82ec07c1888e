import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** For a whole start through npm on a busy machine; nothing here waits for its end. */
const patience = 60_000;

/** Waits for what nobody announces. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await pause(20);
};

/** An upstream that answers only when released, and closes with the test. */
const startHeldUpstream = async (body: string) => {
  const arrived = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => arrived.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrived: arrived.promise,
    release: async () => {
      const response = await arrived.promise;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    },
  };
};

type Upstream = Awaited<ReturnType<typeof startHeldUpstream>>;

/** `npm start`, leading a process group of its own, which ends with the test by its id. */
const npmStart = (management: Upstream, observability: Upstream) => {
  const npm = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    // Nothing of the npm that runs the tests.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      MANAGEMENT_URL: management.url,
      OBSERVABILITY_URL: observability.url,
      PORT: '0',
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = npm;
  if (pid === undefined) throw new Error('npm did not start');
  const signalGroup = (signal: NodeJS.Signals): void => {
    process.kill(-pid, signal);
  };
  const output = { text: '', errors: '' };
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.text += text;
  });
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.errors += text;
  });
  // npm, its shell and the gateway all hold these pipes, and `close` comes once none of them does.
  const state = { ended: false };
  const ended = once(npm, 'close').then(() => {
    state.ended = true;
  });
  onTestFinished(async () => {
    if (!state.ended) signalGroup('SIGKILL');
    await ended;
  });
  const logged = (message: string) =>
    until(() => {
      if (output.text.includes(`"msg":"${message}"`)) return true;
      if (state.ended) throw new Error(`npm ended: ${output.text}${output.errors}`);
      return false;
    });
  return { npm, output, ended, logged, signalGroup };
};

const listeningLine = (text: string): { readonly host: string; readonly port: number } =>
  JSON.parse(text.split('\n').find((line) => line.includes('"msg":"listening"')) ?? '');

/** The gateway through npm, with one request under way that waits for both upstreams. */
const startAndAsk = async () => {
  const organizations =
    '{"status":200,"result":[{"id":"0a9a0000-0000-4000-8000-000000000001","name":"Northwind"}]}';
  const management = await startHeldUpstream(organizations);
  const observability = await startHeldUpstream('{"data":[{"id":"a1","name":"lag"}]}');
  const started = npmStart(management, observability);
  await started.logged('listening');
  const { host, port } = listeningLine(started.output.text);
  const url = `http://${host}:${port}/graphql`;
  const asked = fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'management-authorization': 'Basic a2V5OnNlY3JldA==',
      'observability-authorization': 'Bearer token',
    },
    body: '{"query":"{ organizations { name } alerts { name } }"}',
  }).then(
    async (answer) => [answer.status, await answer.json()],
    () => 'cut off',
  );
  await Promise.all([management.arrived, observability.arrived]);
  const release = () => Promise.all([management.release(), observability.release()]);
  return { ...started, asked, release, url };
};

type Started = Awaited<ReturnType<typeof startAndAsk>>;

const isClosed = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

const signals: readonly (readonly [title: string, send: (started: Started) => void])[] = [
  ['SIGTERM to npm alone', ({ npm }) => npm.kill('SIGTERM')],
  ['SIGINT to npm alone', ({ npm }) => npm.kill('SIGINT')],
  ['SIGTERM to all of its processes', ({ signalGroup }) => signalGroup('SIGTERM')],
  ['SIGINT to all of its processes, as Ctrl-C does', ({ signalGroup }) => signalGroup('SIGINT')],
];

// Signals to processes are POSIX's.
describe.skipIf(process.platform === 'win32')('npm start', { timeout: patience }, () => {
  it.each(signals)('on %s answers what is under way, and leaves nothing', async (_, send) => {
    const started = await startAndAsk();
    send(started);
    await started.logged('stopping');
    await until(() => isClosed(started.url));
    // Room for a second signal: from npm, or on account of its death. It would cut the answer off.
    await pause(600);
    await started.release();
    expect(await started.asked).toEqual([
      200,
      { data: { organizations: [{ name: 'Northwind' }], alerts: [{ name: 'lag' }] } },
    ]);
    await started.ended;
    expect(await isClosed(started.url)).toBe(true);
    expect(started.output.text).toContain('"msg":"stopped"');
  });

  it.each([
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
  ] as const)('on %s and then %s to all of its processes ends at once', async (first, second) => {
    const started = await startAndAsk();
    started.signalGroup(first);
    await started.logged('stopping');
    // The same one would count as the first, which npm passes on, until then.
    if (first === second) await pause(600);
    started.signalGroup(second);
    await started.ended;
    expect(await started.asked).toBe('cut off');
    expect(await isClosed(started.url)).toBe(true);
    expect(started.output.text).not.toContain('"msg":"stopped"');
  });

  it('on SIGTERM and SIGINT with nothing between them ends at once', async () => {
    const started = await startAndAsk();
    started.signalGroup('SIGTERM');
    started.signalGroup('SIGINT');
    await started.ended;
    expect(await started.asked).toBe('cut off');
    expect(await isClosed(started.url)).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32').each(['demo', 'sandbox'])('npm run %s', (script) => {
  const start = async () => {
    const npm = spawn('npm', ['run', script], {
      cwd: root,
      detached: true,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        PORT: '0',
        SANDBOX_MANAGEMENT_PORT: '0',
        SANDBOX_OBSERVABILITY_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { pid } = npm;
    if (pid === undefined) throw new Error('npm did not start');
    const state = { text: '', ended: false };
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      state.text += text;
    });
    // Comes once none of its processes is left.
    const ended = once(npm, 'close').then(() => {
      state.ended = true;
    });
    onTestFinished(async () => {
      if (!state.ended) process.kill(-pid, 'SIGKILL');
      await ended;
    });
    await until(() => state.text.includes('Stop with Ctrl-C.'));
    return { npm, pid, ended };
  };

  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s to npm alone', async (signal) => {
    const { npm, ended } = await start();
    npm.kill(signal);
    await ended;
  });

  it('ends on Ctrl-C', async () => {
    const { pid, ended } = await start();
    process.kill(-pid, 'SIGINT');
    await ended;
  });
});
