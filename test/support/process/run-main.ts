import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { post } from '../http/requests.ts';
import { serve } from '../servers.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The command with which the image starts the gateway. */
export const node = [process.execPath, 'src/main.ts'] as const;
const posix = process.platform !== 'win32';

/** Polls until a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause(20);
};

type LogLine = Readonly<Record<string, unknown>>;

/**
 * Starts the gateway's entry as the leader of a process group, which ends with the test. `ended` resolves when no process of
 * the group is left.
 */
export const run = (
  env: Readonly<Record<string, string>>,
  [command, ...args]: readonly [string, ...string[]] = node,
  cwd = root,
) => {
  const child = spawn(command, args, {
    cwd,
    detached: posix,
    // Only the environment that Node needs to run.
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('it did not start');
  const signalGroup = (signal: NodeJS.Signals): void => {
    process.kill(posix ? -pid : pid, signal);
  };
  const output = { text: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.text += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.errors += text;
  });
  const state = { ended: false };
  // Child processes inherit these pipes, and `close` comes when none of them is left.
  const ended = once(child, 'close').then(([code, signal]) => {
    state.ended = true;
    return { code, signal, ...output };
  });
  onTestFinished(async () => {
    try {
      if (!state.ended) signalGroup('SIGKILL');
    } catch (error) {
      // It has exited by itself, and only its pipes are still open.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
    await ended;
  });

  /** The lines of the log with this message so far. */
  const lines = (message: string): readonly LogLine[] =>
    output.text
      .split('\n')
      .slice(0, -1)
      // npm prints other lines.
      .filter((line) => line.startsWith('{'))
      .map((line): LogLine => JSON.parse(line))
      .filter(({ msg }) => msg === message);
  /** Waits for a log line with this message; `number` counts such lines from 1. */
  const logged = async (message: string, number = 1): Promise<LogLine> => {
    for (;;) {
      const line = lines(message)[number - 1];
      if (line) return line;
      if (state.ended) throw new Error(`it ended: ${output.text}${output.errors}`);
      await pause(20);
    }
  };
  return { child, output, ended, signalGroup, lines, logged };
};

/** A server on a free port with this answer, which closes with the test. */
export const listen = async (answer: (response: ServerResponse, path: string) => void) => {
  const { port, origin } = await serve(({ url = '' }, response) => answer(response, url));
  return { port, url: origin };
};

type Answering = Parameters<typeof listen>[0];

/** The gateway in front of one backend for both interfaces, when it listens. */
export const startMain = async (
  answer: Answering,
  env: Readonly<Record<string, string>> = {},
  ...command: readonly [command?: readonly [string, ...string[]], cwd?: string]
) => {
  const { url: backend } = await listen(answer);
  const urls = { MANAGEMENT_URL: backend, OBSERVABILITY_URL: backend, PORT: '0' };
  const gateway = run({ ...urls, ...env }, ...command);
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;
  /** Posts an operation; → the body of its answer. */
  const ask = async (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await post(url, query, { authorization: 'Bearer token', ...headers });
    return answer.json();
  };
  return { ...gateway, url, port: Number(port), ask };
};

/** The observability interface's list of alerts. */
export const sendAlerts = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"data":[{"id":"a1","name":"lag"}]}');
};

/** The answer to `{ alerts { name } }` in this case. */
export const answered = { data: { alerts: [{ name: 'lag' }] } };
