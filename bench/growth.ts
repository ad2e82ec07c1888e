import { type Backend, startBackend } from './backend.ts';
import { expectedAnswer } from './expected.ts';
import { measure, warmUp } from './measure.ts';
import { createBodies, operationNamed } from './operations.ts';
import type { Settings } from './options.ts';
import { type Progress, rotated } from './progress.ts';
import { median } from './statistics.ts';
import {
  type Question,
  type Subject,
  type SubjectName,
  startSubject,
  subjectNames,
} from './subject.ts';

/** How a server's cost grows with one number. */
export interface Curve {
  readonly sizes: readonly number[];
  /** CPU microseconds by server, in the order of the sizes. */
  readonly costs: ReadonlyMap<SubjectName, readonly number[]>;
}

export interface Growth {
  /** CPU an alert of Q3, by the number of alerts. */
  readonly alerts: Curve;
  /** CPU a request of Q1, by the number of distinct operations that take turns. */
  readonly operations: Curve;
}

/** Fewer at a time than in the comparison: ten thousand alerts are megabytes a request. */
const concurrency = 4;

/** How far a look goes, and how far a full run. */
const sizes = {
  quick: { alerts: [100, 1000], operations: [1, 1000], rounds: 1 },
  full: { alerts: [100, 1000, 10_000], operations: [1, 1000, 10_000], rounds: 3 },
} as const;

interface Step {
  readonly subjects: readonly Subject[];
  readonly backend: Backend;
  readonly question: Question;
  readonly settings: Settings;
}

/** The median CPU of a request, by server, measured in turns. */
const costs = async (step: Step): Promise<ReadonlyMap<SubjectName, number>> => {
  const { subjects, backend, question, settings } = step;
  const common = { backend, question, mode: 'pool', concurrency } as const;
  const requests = new Map<SubjectName, number>();
  const seconds = settings.warmUpSeconds * settings.warmUpPasses;
  for (const subject of subjects) {
    const cpu = await warmUp({ ...common, subject }, seconds);
    requests.set(subject.name, Math.ceil((settings.blockSeconds * 1e6) / cpu));
  }
  const found = new Map<SubjectName, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < sizes[settings.name].rounds; round += 1) {
    for (const subject of rotated(subjects, round)) {
      const enough = Math.max(8, requests.get(subject.name) ?? 0);
      const { cpu } = await measure({ ...common, subject, requests: enough });
      found.get(subject.name)?.push(cpu);
    }
  }
  return new Map([...found].map(([name, all]) => [name, median(all)]));
};

const curveOf = (
  counts: readonly number[],
  steps: readonly ReadonlyMap<SubjectName, number>[],
): Curve => {
  const names = [...(steps[0]?.keys() ?? [])];
  return {
    sizes: counts,
    costs: new Map(names.map((name) => [name, steps.map((step) => step.get(name) ?? Number.NaN)])),
  };
};

const growAlerts = async (step: Omit<Step, 'question'>, progress: Progress): Promise<Curve> => {
  const q3 = operationNamed('Q3');
  const counts = sizes[step.settings.name].alerts;
  const steps: ReadonlyMap<SubjectName, number>[] = [];
  for (const alerts of counts) {
    progress.say(`${alerts} alerts`);
    await step.backend.set({ alerts });
    const expected = await expectedAnswer(q3, alerts);
    const question = { name: `Q3 over ${alerts}`, nextBody: createBodies(q3), expected };
    const perRequest = await costs({ ...step, question });
    steps.push(new Map([...perRequest].map(([name, cpu]) => [name, cpu / alerts])));
  }
  await step.backend.set({ alerts: 100 });
  return curveOf(counts, steps);
};

/** Q1 under so many names, one after the other and then again from the first. */
const createRenamed = async (count: number): Promise<Question> => {
  const q1 = operationNamed('Q1');
  const bodies = Array.from({ length: count }, (_, index) => {
    const name = `Q1_${count}_${index}`;
    return createBodies({ ...q1, name, query: q1.query.replace('query Q1', `query ${name}`) });
  });
  let turn = 0;
  const nextBody = (): string => {
    turn += 1;
    return bodies[turn % count]?.() ?? '';
  };
  return { name: `Q1 under ${count} names`, nextBody, expected: await expectedAnswer(q1, 100) };
};

const growOperations = async (step: Omit<Step, 'question'>, progress: Progress): Promise<Curve> => {
  const counts = sizes[step.settings.name].operations;
  const steps: ReadonlyMap<SubjectName, number>[] = [];
  // LIMIT knows its four operations by name, and no others.
  const subjects = step.subjects.filter(({ name }) => name !== 'LIMIT');
  for (const count of counts) {
    progress.say(`${count} distinct operations`);
    const found = new Map<SubjectName, number>();
    for (const subject of subjects) {
      // A turn of its own, so that what is asked next has been asked before, as long ago as can be.
      const question = await createRenamed(count);
      const block = { subject, backend: step.backend, question, mode: 'pool' } as const;
      await measure({ ...block, requests: count });
      const [cost] = (await costs({ ...step, subjects: [subject], question })).values();
      found.set(subject.name, cost ?? Number.NaN);
    }
    steps.push(found);
  }
  return curveOf(counts, steps);
};

/** How the servers' costs grow with the alerts of a list, and with the number of operations they know. */
export const measureGrowth = async (settings: Settings, progress: Progress): Promise<Growth> => {
  const backend = await startBackend();
  const subjects: Subject[] = [];
  for (const name of subjectNames) subjects.push(await startSubject(name, backend));
  const step = { subjects, backend, settings };
  return {
    alerts: await growAlerts(step, progress),
    operations: await growOperations(step, progress),
  };
};
