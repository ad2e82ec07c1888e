import { isDeepStrictEqual } from 'node:util';
import type { Backend } from './backend.ts';
import { type ClientName, requestHeaders } from './clients.ts';
import type { CallerMode } from './credentials.ts';
import { post } from './post.ts';
import type { Question, Subject } from './subject.ts';

/** What one server is asked, by whom. */
export interface Block {
  readonly subject: Subject;
  readonly backend: Backend;
  readonly question: Question;
  readonly mode: CallerMode;
  readonly client: ClientName;
}

/** Answers that are compared deeply before and after a block. */
const checkedAnswers = 4;

/** Asks once, and compares deeply. */
const checkOne = async ({ subject, question, mode, client }: Block, index: number) => {
  const headers = requestHeaders(client, mode, index);
  const answer = await post(subject.pool, headers, question.nextBody());
  const text = answer.text();
  if (answer.status !== 200 || !isDeepStrictEqual(JSON.parse(text), question.expected)) {
    throw new Error(
      `${subject.name} answers ${question.name} wrongly (${answer.status}): ${text.slice(0, 500)}`,
    );
  }
  return answer.bytes;
};

/**
 * Compares some answers to requests sent at the same time with the expected one, deeply.
 * @returns the length of an answer, which is the same for all.
 */
export const check = async (block: Block): Promise<number> => {
  const lengths = await Promise.all(
    Array.from({ length: checkedAnswers }, (_, index) => checkOne(block, index)),
  );
  const [length = 0, ...others] = lengths;
  if (others.some((other) => other !== length)) {
    throw new Error(`${block.subject.name}: ${block.question.name} varies in length`);
  }
  return length;
};
