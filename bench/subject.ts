import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import type { Backend } from './backend.ts';
import { mainClient, requestHeaders } from './clients.ts';
import { createBodies, operationNamed } from './operations.ts';
import { post } from './post.ts';
import { type Server, start, untilAnswering } from './processes.ts';

/** The arguments of `npm start`, which runs `exec node …`. */
const startArguments = (): readonly string[] => {
  const manifest = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as {
    readonly scripts: { readonly start: string };
  };
  const found = /^exec node ([^|]+) \|\|/.exec(manifest.scripts.start)?.[1];
  if (found === undefined) throw new Error('npm start does not run `exec node …`');
  return found.split(' ');
};

/** Node's arguments for each server. */
const started = {
  LIMIT: ['bench/servers/limit.ts'],
  Sluice: startArguments(),
  Yoga: ['bench/servers/yoga.ts'],
  Mercurius: ['bench/servers/mercurius.ts'],
  Apollo: ['bench/servers/apollo.ts'],
} as const;

export type SubjectName = keyof typeof started;
export const subjectNames = Object.keys(started) as readonly SubjectName[];

/** A server under measurement, with connections that are kept open. */
export interface Subject extends Server {
  readonly name: SubjectName;
  readonly pool: Pool;
  /** From the start of its process to its first answer. */
  readonly startMilliseconds: number;
}

/** Requests under way at a time, each on a connection of its own. */
export const connections = 32;

/** Has Sluice send every call at once and keep no read, as the other servers do. */
const unpaced = { MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off', READ_CACHE: 'off' } as const;

/** Starts a server's process before a backend. */
export const startServer = (
  name: SubjectName,
  backend: { readonly url: string },
  env: Readonly<Record<string, string>> = {},
): Promise<Server> =>
  start(started[name], { MANAGEMENT_URL: backend.url, OBSERVABILITY_URL: backend.url, ...env });

/** Starts a server for the measuring of CPU, and waits for its first answer to Q1. */
export const startSubject = async (name: SubjectName, backend: Backend): Promise<Subject> => {
  const began = performance.now();
  const server = await startServer(name, backend, unpaced);
  const pool = new Pool(server.url, { connections, pipelining: 1 });
  const nextBody = createBodies(operationNamed('Q1'));
  await untilAnswering(server, name, async () => {
    const answer = await post(pool, requestHeaders(mainClient, 'pool', 0), nextBody());
    return answer.status === 200;
  });
  return { ...server, name, pool, startMilliseconds: performance.now() - began };
};

/** What a subject is asked: bodies that never repeat, and the answer that all of them have. */
export interface Question {
  readonly name: string;
  readonly nextBody: () => string;
  readonly expected: unknown;
}
