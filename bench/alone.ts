import type { Backend } from './backend.ts';
import { callerAt } from './credentials.ts';
import { median } from './statistics.ts';
import { checkOne, type Question, type Subject } from './subject.ts';

/** What one request costs upstream when nothing else is under way. */
export interface Alone {
  readonly calls: number;
  /** Calls that had to wait for one another. */
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Sends one request, checks its answer, and that the backend saw the caller's own credentials. */
const askAlone = async (
  subject: Subject,
  backend: Backend,
  question: Question,
  index: number,
): Promise<Alone> => {
  const caller = callerAt('pool', index);
  await backend.take();
  const began = performance.now();
  await checkOne(subject, question, caller);
  const milliseconds = performance.now() - began;
  const { calls, rounds, credentials } = await backend.take();
  for (const credential of credentials) {
    if (credential !== caller.management && credential !== caller.observability) {
      throw new Error(`${subject.name} sends the credential of another caller`);
    }
  }
  return { calls, rounds, milliseconds };
};

/** The upstreams' delay for counting rounds. */
export const delayMilliseconds = 20;

/** One request at a time before slow upstreams: the worst of three counts, and the median time. */
export const measureAlone = async (
  subject: Subject,
  backend: Backend,
  question: Question,
): Promise<Alone> => {
  await backend.set({ delay: delayMilliseconds });
  const tries: Alone[] = [];
  for (const index of [1, 2, 3, 4]) {
    tries.push(await askAlone(subject, backend, question, index));
  }
  await backend.set({ delay: 0 });
  // The first opens connections.
  const [, ...counted] = tries;
  return {
    calls: Math.max(...counted.map(({ calls }) => calls)),
    rounds: Math.max(...counted.map(({ rounds }) => rounds)),
    milliseconds: median(counted.map(({ milliseconds }) => milliseconds)),
  };
};
