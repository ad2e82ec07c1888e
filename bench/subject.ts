import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import type { Backend } from './backend.ts';
import { post } from './client.ts';
import { type Caller, type CallerMode, callerAt } from './credentials.ts';
import { createBodies, operationNamed } from './operations.ts';
import { type Server, start } from './processes.ts';

/** The servers that are compared, by the files each is started with; Sluice as its image starts it. */
const files = {
  LIMIT: ['servers/limit.ts'],
  Sluice: ['../src/main.ts', '../src/preload.js'],
  Yoga: ['servers/yoga.ts'],
  Mercurius: ['servers/mercurius.ts'],
  Apollo: ['servers/apollo.ts'],
} as const;

export type SubjectName = keyof typeof files;
export const subjectNames = Object.keys(files) as readonly SubjectName[];

/** A server under measurement, with connections that are kept open. */
export interface Subject extends Server {
  readonly name: SubjectName;
  readonly pool: Pool;
  /** From the start of its process to its first answer. */
  readonly startMilliseconds: number;
}

/** Requests under way at a time, each on a connection of its own. */
export const connections = 32;

/** Starts a server and waits for its first answer to Q1. */
export const startSubject = async (name: SubjectName, backend: Backend): Promise<Subject> => {
  const began = performance.now();
  const server = await start(files[name], {
    MANAGEMENT_URL: backend.url,
    OBSERVABILITY_URL: backend.url,
    GRAPHIQL: 'off',
  });
  const pool = new Pool(server.url, { connections, pipelining: 1 });
  const nextBody = createBodies(operationNamed('Q1'));
  const answered = async (): Promise<boolean> => {
    try {
      return (await post(pool, callerAt('pool', 0).headers, nextBody())).status === 200;
    } catch {
      // Not listening yet; `ended` tells where it never will.
      await new Promise((resolve) => setTimeout(resolve, 2));
      return false;
    }
  };
  for (;;) {
    if (await Promise.race([answered(), server.ended])) {
      return { ...server, name, pool, startMilliseconds: performance.now() - began };
    }
    if (performance.now() - began > 20_000) throw new Error(`${name} never answers`);
  }
};

/** What a subject is asked: bodies that never repeat, and the answer that all of them have. */
export interface Question {
  readonly name: string;
  readonly nextBody: () => string;
  readonly expected: unknown;
}

/** Asks once, and compares deeply. */
export const checkOne = async (
  subject: Subject,
  question: Question,
  caller: Caller,
): Promise<number> => {
  const answer = await post(subject.pool, caller.headers, question.nextBody());
  const text = answer.text();
  if (answer.status !== 200 || !isDeepStrictEqual(JSON.parse(text), question.expected)) {
    throw new Error(
      `${subject.name} answers ${question.name} wrongly (${answer.status}): ${text.slice(0, 500)}`,
    );
  }
  return answer.bytes;
};

/** Answers that are compared deeply before and after a block. */
const checkedAnswers = 4;

/**
 * Compares some answers, under way together, with the expected one, deeply.
 * @returns the length of an answer, which is the same for all.
 */
export const check = async (
  subject: Subject,
  question: Question,
  mode: CallerMode,
): Promise<number> => {
  const lengths = await Promise.all(
    Array.from({ length: checkedAnswers }, (_, index) =>
      checkOne(subject, question, callerAt(mode, index)),
    ),
  );
  const distinct = new Set(lengths);
  if (distinct.size !== 1) throw new Error(`${subject.name}: ${question.name} varies in length`);
  return lengths[0] ?? 0;
};
