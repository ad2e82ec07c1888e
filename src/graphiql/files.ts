import { fork } from 'node:child_process';
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

/**
 * Reads and compresses the files. Takes about half a second on two cores, and 5 MB of memory permanently.
 * @throws if the package of GraphiQL does not have the expected files.
 */
export const loadFiles = (): Promise<GraphiqlFiles> => {
  const { promise, resolve, reject } = Promise.withResolvers<GraphiqlFiles>();
  const packing = fork(fileURLToPath(new URL('./pack.ts', import.meta.url)), {
    // The gateway's own Node arguments do not apply to this process.
    execArgv: [],
    serialization: 'advanced',
    // Errors go to standard error, like those of a failed start; standard output is for the log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  packing.on('message', (files) => {
    resolve(new Map((files as readonly PackedFile[]).map((file) => [pathOf(file), file])));
  });
  packing.on('error', reject);
  // `disconnect` comes after all messages, unless the process dies.
  packing.on('disconnect', () => reject(new Error('The files of GraphiQL were not packed')));
  return promise;
};
