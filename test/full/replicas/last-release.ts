import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const cwd = fileURLToPath(new URL('../../..', import.meta.url));
const describing = ['describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^'];
/** The last release before this commit, or the last build before there was one. */
const commit = spawnSync('git', describing, { cwd, encoding: 'utf8' }).stdout?.trim() || '41127b77';

/** Whether git and the commit are here; a shallow clone lacks it. */
export const hasLastRelease =
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd }).status === 0;

/** Reports once that tests with the last release are skipped. */
export const setup = (): void => {
  if (hasLastRelease) return;
  process.stderr.write(`The tests beside the last release are skipped: git has no ${commit}.\n`);
};

/** A folder with the last release and the packages that are installed here, until the test ends. */
export const takeLastRelease = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-last-release-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const input = execFileSync('git', ['archive', commit], { cwd, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input });
  await symlink(join(cwd, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};
