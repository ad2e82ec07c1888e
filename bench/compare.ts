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
  /** Processes of each server that took turns, but for the slowest two. */
  readonly processes: number;
  readonly subjects: ReadonlyMap<SubjectName, SubjectFigures>;
}

/** The peers share nothing between requests: to them it is all one whose requests they are. */
const measuredWithOneCaller: readonly SubjectName[] = ['LIMIT', 'Sluice'];

/**
 * How many processes of a server are measured, in turn: what V8 compiles first and where memory comes to lie
 * makes one a tenth faster or slower than the next, for as long as it runs.
 */
const processesOf = (name: SubjectName, { processes }: Settings): number =>
  name === 'Yoga' || name === 'Apollo' ? 1 : processes;

/** A server with those of its processes that are measured. */
interface Contender {
  readonly name: SubjectName;
  readonly processes: readonly [Subject, ...Subject[]];
  readonly startMilliseconds: number;
}

/** A server and an operation, with what was found so far. */
interface Cell {
  readonly contender: Contender;
  readonly question: Question;
  readonly alone: Alone;
  readonly samples: Readonly<Record<CallerMode, Sample[]>>;
  requests: number;
}

const createCells = async (
  contenders: readonly Contender[],
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
    for (const contender of contenders) {
      const alone = await measureAlone(contender.processes[0], backend, question);
      row.push({ contender, question, alone, samples: { pool: [], same: [] }, requests: 0 });
    }
    cells.set(operation.name, row);
  }
  return cells;
};

/** Starts each server so many times, in turns; the last of its processes stay. */
const startOften = async (settings: Settings, backend: Backend): Promise<readonly Contender[]> => {
  const started = new Map<SubjectName, Subject[]>(subjectNames.map((name) => [name, []]));
  for (let round = 0; round < settings.starts; round += 1) {
    for (const name of rotated(subjectNames, round)) {
      const subject = await startSubject(name, backend);
      started.get(name)?.push(subject);
      if (settings.starts - round > processesOf(name, settings)) await subject.stop();
    }
  }
  return [...started].map(([name, all]) => {
    const [first, ...others] = all.slice(-processesOf(name, settings));
    if (!first) throw new Error(`${name} was never started`);
    const startMilliseconds = median(all.map((subject) => subject.startMilliseconds));
    return { name, processes: [first, ...others], startMilliseconds };
  });
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
        const { name, processes } = cell.contender;
        if (mode === 'same' && !measuredWithOneCaller.includes(name)) continue;
        const subject = processes[round % processes.length] ?? processes[0];
        cell.samples[mode].push(await measure({ ...cell, subject, backend, mode }));
      }
    }
  }
};

/** The whole comparison: all servers run at the same time, and are measured in turn. */
export const compare = async (settings: Settings, progress: Progress): Promise<Comparison> => {
  const backend = await startBackend();
  progress.say('starting the servers');
  const contenders = await startOften(settings, backend);
  progress.say('counting calls and rounds');
  const cells = await createCells(contenders, backend);
  progress.say('warming up');
  for (const cell of [...cells.values()].flat()) {
    for (const subject of cell.contender.processes) {
      const cpu = await warmUp({ ...cell, subject, backend, mode: 'pool' }, settings.warmUpSeconds);
      cell.requests = Math.max(100, Math.ceil((settings.blockSeconds * 1e6) / cpu));
    }
  }
  let round = 0;
  while (round < settings.rounds && (round < 3 || progress.seconds() < settings.enoughSeconds)) {
    progress.say(`round ${round + 1} of ${settings.rounds}`);
    await measureRound(cells, backend, round);
    round += 1;
  }

  const figuresOf = (contender: Contender): SubjectFigures => ({
    operations: new Map(
      [...cells].flatMap(([name, row]) =>
        row
          .filter((cell) => cell.contender === contender)
          .map(({ alone, samples: { pool, same } }) => [
            name,
            { alone, pool: medianSample(pool), same: same[0] && medianSample(same) },
          ]),
      ),
    ),
    peakMegabytes: median(contender.processes.map(({ pid }) => peakMegabytes(pid))),
    startMilliseconds: contender.startMilliseconds,
  });
  return {
    rounds: round,
    processes: settings.processes,
    subjects: new Map(contenders.map((contender) => [contender.name, figuresOf(contender)])),
  };
};
