import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installs the peers from the lock file where they are missing. Nothing of them reaches the root. */
export const installPeers = (): void => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  if (existsSync(new URL('node_modules/.package-lock.json', import.meta.url))) return;
  process.stderr.write('installing the peers (npm ci in bench/)\n');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm ci in bench/ failed: ${error?.message ?? status}`);
};
