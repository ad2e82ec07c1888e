import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a manifest of persisted operations to a file that goes with the test. */
export const withManifest = async (texts: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'manifest.json');
  await writeFile(file, JSON.stringify(texts));
  return file;
};
