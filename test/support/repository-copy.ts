import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './client/folder.ts';

/** Copies the repository to a new folder, without what git ignores. */
export const copyRepository = (name: string): string => {
  const copy = mkdtempSync(join(tmpdir(), `${name}-`));
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  for (const file of listed) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  }
  return copy;
};
