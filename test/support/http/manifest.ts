import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a manifest of these texts holds. */
export const manifestOf = (...texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(texts.map((text) => [hashOf(text), text]));

/** A folder of files that lasts as long as the tests of a file do. */
export const createFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-persisted-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return {
    folder,
    /** The path of a new file with this content. */
    fileOf: (content: string): string => {
      files += 1;
      const file = join(folder, `${files}.json`);
      writeFileSync(file, content);
      return file;
    },
  };
};
