import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, onTestFinished } from 'vitest';
import { drawPort } from '../ports.ts';
import { nginxPath } from './path.ts';

/** Tests with nginx, skipped where there is none. */
export const describeWithNginx = describe.skipIf(nginxPath === undefined);

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** One process, which keeps all its files in a folder of its own. What Debian sets besides stays as it is. */
const configurationOf = (folder: string, servers: string): string => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr warn;
events { worker_connections 768; }
http {
  access_log off;
  gzip on;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${servers}
}
`;

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/**
 * An nginx on loopback until the test ends.
 * @param servers what stands in its `http` block, with the port that it is to listen on
 * @returns its origin
 */
export const startNginx = async (servers: (port: number) => string): Promise<string> => {
  if (nginxPath === undefined) throw new Error('there is no nginx here (NGINX=path)');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'));
  const file = join(folder, 'nginx.conf');
  let port = drawPort();
  while (await isListening(port)) port = drawPort();
  writeFileSync(file, configurationOf(folder, servers(port)));
  const child = spawn(nginxPath, ['-p', folder, '-c', file], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').finally(() => running.delete(child));
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  });
  while (!(await isListening(port))) {
    if (!running.has(child)) throw new Error(`nginx ended: ${output}`);
    await pause(20);
  }
  return `http://127.0.0.1:${port}`;
};
