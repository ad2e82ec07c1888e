import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../', import.meta.url));

export const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
