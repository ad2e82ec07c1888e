import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Sizes in megabytes. */
export interface InstalledSize {
  /** Packages of `npm ci --omit=dev --omit=optional --workspaces=false`, as in the image, and schema/ and src/ with them. */
  readonly production: number;
  readonly packages: number;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  /** Of a workspace, which the image does without. */
  readonly link?: boolean;
}

/** Bytes of all files below a folder; packages nested in it are counted as packages of their own. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? bytesIn(path) : lstatSync(path).size;
    })
    .reduce((a, b) => a + b, 0);

/** What the gateway brings along, read off the root's lock file and its installed packages. */
export const installedSize = (): InstalledSize => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([path]) => path.startsWith('node_modules/'))
    .filter(
      ([, { dev, optional, devOptional, link }]) => !dev && !optional && !devOptional && !link,
    )
    .map(([path]) => path);
  const bytes = ['schema', 'src', ...folders].map((folder) => bytesIn(join(root, folder)));
  return {
    production: bytes.reduce((a, b) => a + b, 0) / 1e6,
    packages: folders.length,
  };
};
