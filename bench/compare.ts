import { type Alone, measureAlone } from './alone.ts';
import { type Backend, startBackend } from './backend.ts';
import type { CallerMode } from './credentials.ts';
import { expectedAnswer } from './expected.ts';
import { measure, medianSample, type Sample, warmUp } from './measure.ts';
import { createBodies, type OperationName, operations } from './operations.ts';
import type { Settings } from './options.ts';
import { peakMegabytes } from './proc.ts';
import { type Progress, rotated } from './progress.ts';
import { median } from './statistics.ts';
import {
  type Question,
  type Subject,
  type SubjectName,
  startSubject,
  subjectNames,
} from './subject.ts';

/** One server at one operation. */
export interface OperationFigures {
  readonly alone: Alone;
  /** Fifty callers in turn. */
  readonly pool: Sample;
  /** One caller throughout; for the servers that `measuredWithOneCaller` names. */
  readonly same: Sample | undefined;
}

export interface SubjectFigures {
  readonly operations: ReadonlyMap<OperationName, OperationFigures>;
  readonly peakMegabytes: number;
  readonly startMilliseconds: number;
}

export interface Comparison {
  readonly rounds: number;
  readonly subjects: ReadonlyMap<SubjectName, SubjectFigures>;
}

/** The peers share nothing between requests: to them it is all one whose requests they are. */
const measuredWithOneCaller: readonly SubjectName[] = ['LIMIT', 'Sluice'];

/** A server and an operation, with what was found so far. */
interface Cell {
  readonly subject: Subject;
  readonly question: Question;
  readonly alone: Alone;
  readonly samples: Readonly<Record<CallerMode, Sample[]>>;
  requests: number;
}

const createCells = async (
  subjects: readonly Subject[],
  backend: Backend,
): Promise<ReadonlyMap<OperationName, readonly Cell[]>> => {
  const cells = new Map<OperationName, readonly Cell[]>();
  for (const operation of operations) {
    const question = {
      name: operation.name,
      nextBody: createBodies(operation),
      expected: await expectedAnswer(operation, 100),
    };
    const row: Cell[] = [];
    for (const subject of subjects) {
      const alone = await measureAlone(subject, backend, question);
      row.push({ subject, question, alone, samples: { pool: [], same: [] }, requests: 0 });
    }
    cells.set(operation.name, row);
  }
  return cells;
};

/** Starts a server so many times; the last one stays, and knows the median of all starts. */
const startOften = async (starts: number, backend: Backend): Promise<readonly Subject[]> => {
  const times = new Map<SubjectName, number[]>(subjectNames.map((name) => [name, []]));
  for (let round = 1; round < starts; round += 1) {
    for (const name of rotated(subjectNames, round)) {
      const subject = await startSubject(name, backend);
      times.get(name)?.push(subject.startMilliseconds);
      await subject.stop();
    }
  }
  const subjects: Subject[] = [];
  for (const name of subjectNames) {
    const subject = await startSubject(name, backend);
    const all = [...(times.get(name) ?? []), subject.startMilliseconds];
    subjects.push({ ...subject, startMilliseconds: median(all) });
  }
  return subjects;
};

/** One round: every operation, with either kind of caller, by every server in turn. */
const measureRound = async (
  cells: ReadonlyMap<OperationName, readonly Cell[]>,
  backend: Backend,
  round: number,
): Promise<void> => {
  for (const row of cells.values()) {
    for (const mode of ['pool', 'same'] as const) {
      for (const cell of rotated(row, round)) {
        if (mode === 'same' && !measuredWithOneCaller.includes(cell.subject.name)) continue;
        cell.samples[mode].push(await measure({ ...cell, backend, mode }));
      }
    }
  }
};

/** The whole comparison: all servers run at the same time, and are measured in turn. */
export const compare = async (settings: Settings, progress: Progress): Promise<Comparison> => {
  const backend = await startBackend();
  progress.say('starting the servers');
  const subjects = await startOften(settings.starts, backend);
  progress.say('counting calls and rounds');
  const cells = await createCells(subjects, backend);
  progress.say('warming up');
  for (const cell of [...cells.values()].flat()) {
    const cpu = await warmUp({ ...cell, backend, mode: 'pool' }, settings.warmUpSeconds);
    cell.requests = Math.max(100, Math.ceil((settings.blockSeconds * 1e6) / cpu));
  }
  let round = 0;
  while (round < settings.rounds && (round < 3 || progress.seconds() < settings.enoughSeconds)) {
    progress.say(`round ${round + 1} of ${settings.rounds}`);
    await measureRound(cells, backend, round);
    round += 1;
  }

  const figuresOf = (subject: Subject): SubjectFigures => ({
    operations: new Map(
      [...cells].flatMap(([name, row]) =>
        row
          .filter((cell) => cell.subject === subject)
          .map(({ alone, samples: { pool, same } }) => [
            name,
            { alone, pool: medianSample(pool), same: same[0] && medianSample(same) },
          ]),
      ),
    ),
    peakMegabytes: peakMegabytes(subject.pid),
    startMilliseconds: subject.startMilliseconds,
  });
  return { rounds: round, subjects: new Map(subjects.map((one) => [one.name, figuresOf(one)])) };
};
