import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file of GraphiQL, kept only in compressed forms. */
export interface PackedFile {
  readonly name: string;
  readonly mediaType: string;
  /** Hash of the content, 16 hexadecimal digits. */
  readonly hash: string;
  /** Its uncompressed size. */
  readonly bytes: number;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** The files by their paths below the endpoint. Each path holds the hash, so the content of a path never changes. */
export type GraphiqlFiles = ReadonlyMap<string, PackedFile>;

/** The folder of all files, below the endpoint. */
export const filesFolder = 'graphiql/';

export const pathOf = ({ hash, name }: PackedFile): string => `${filesFolder}${hash}/${name}`;

/** The output of `npm run build`, if there is one. */
const packed = new URL('./packed/', import.meta.url);

const readPacked = async (): Promise<readonly PackedFile[]> => {
  const text = await readFile(new URL('files.json', packed), 'utf8');
  const facts: readonly Pick<PackedFile, 'name' | 'mediaType' | 'hash' | 'bytes'>[] =
    JSON.parse(text);
  return Promise.all(
    facts.map(async (file) => ({
      ...file,
      br: await readFile(new URL(`${file.name}.br`, packed)),
      gzip: await readFile(new URL(`${file.name}.gz`, packed)),
    })),
  );
};

const pack = (): Promise<readonly PackedFile[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<readonly PackedFile[]>();
  const packing = fork(fileURLToPath(new URL('./pack.ts', import.meta.url)), {
    // The gateway's own Node arguments do not apply to this process.
    execArgv: [],
    serialization: 'advanced',
    // Errors go to standard error, like those of a failed start; standard output is for the log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  packing.on('message', (files) => resolve(files as readonly PackedFile[]));
  packing.on('error', reject);
  // `disconnect` comes after all messages, unless the process dies.
  packing.on('disconnect', () => reject(new Error('The files of GraphiQL were not packed')));
  return promise;
};

/**
 * Reads the files, which take 5 MB of memory from then on. If no build has compressed them, this takes half a second on
 * two cores.
 * @throws if the package of GraphiQL does not have the expected files.
 */
export const loadFiles = async (): Promise<GraphiqlFiles> => {
  const files = await (existsSync(packed) ? readPacked() : pack());
  return new Map(files.map((file) => [pathOf(file), file]));
};
