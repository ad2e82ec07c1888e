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
  /** How often all servers were started anew. */
  readonly generations: number;
  readonly subjects: ReadonlyMap<SubjectName, SubjectFigures>;
}

/** The peers share nothing between requests: to them it is all one whose requests they are. */
const measuredWithOneCaller: readonly SubjectName[] = ['LIMIT', 'Sluice'];

/** What was found of a server so far. */
interface Findings {
  readonly startMilliseconds: number[];
  readonly peakMegabytes: number[];
  readonly operations: ReadonlyMap<OperationName, OperationFindings>;
}

interface OperationFindings {
  alone: Alone | undefined;
  readonly samples: Readonly<Record<CallerMode, Sample[]>>;
}

const noFindings = (): Findings => ({
  startMilliseconds: [],
  peakMegabytes: [],
  operations: new Map(
    operations.map(({ name }) => [name, { alone: undefined, samples: { pool: [], same: [] } }]),
  ),
});

type AllFindings = ReadonlyMap<SubjectName, Findings>;

const found = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value => {
  const value = map.get(key);
  if (value === undefined) throw new Error(`${key} was not measured`);
  return value;
};

/** A running server and an operation. */
interface Cell {
  readonly subject: Subject;
  readonly question: Question;
  readonly findings: OperationFindings;
  /** How many make a block. */
  readonly requests: Record<CallerMode, number>;
}

const createQuestions = (): Promise<readonly (Question & { readonly name: OperationName })[]> =>
  Promise.all(
    operations.map(async (operation) => ({
      name: operation.name,
      nextBody: createBodies(operation),
      expected: await expectedAnswer(operation, 100),
    })),
  );

/** Starts all servers, one after the other. */
const startAll = async (
  backend: Backend,
  findings: AllFindings,
  turn: number,
): Promise<readonly Subject[]> => {
  const subjects: Subject[] = [];
  for (const name of rotated(subjectNames, turn)) {
    const subject = await startSubject(name, backend);
    found(findings, name).startMilliseconds.push(subject.startMilliseconds);
    subjects.push(subject);
  }
  return subjects;
};

const stopEach = async (subjects: readonly Subject[]): Promise<void> => {
  for (const subject of subjects) await subject.stop();
};

/** One round: every operation, with either kind of caller, by every server in turn. */
const measureRound = async (
  rows: readonly (readonly Cell[])[],
  backend: Backend,
  round: number,
): Promise<void> => {
  for (const row of rows) {
    for (const mode of ['pool', 'same'] as const) {
      for (const cell of rotated(row, round)) {
        if (mode === 'same' && !measuredWithOneCaller.includes(cell.subject.name)) continue;
        const requests = cell.requests[mode];
        cell.findings.samples[mode].push(await measure({ ...cell, backend, mode, requests }));
      }
    }
  }
};

/**
 * Has the servers ready to be measured: what they cost alone is found, and their code is compiled. More than once for
 * each operation, since another operation in between has V8 compile some of it again.
 */
const prepare = async (
  subjects: readonly Subject[],
  backend: Backend,
  findings: AllFindings,
  { warmUpSeconds, warmUpPasses, blockSeconds }: Settings,
): Promise<readonly (readonly Cell[])[]> => {
  const rows: Cell[][] = [];
  for (const question of await createQuestions()) {
    const row: Cell[] = [];
    for (const subject of subjects) {
      const ofOperation = found(found(findings, subject.name).operations, question.name);
      ofOperation.alone ??= await measureAlone(subject, backend, question);
      row.push({ subject, question, findings: ofOperation, requests: { pool: 0, same: 0 } });
    }
    rows.push(row);
  }
  for (let pass = 0; pass < warmUpPasses; pass += 1) {
    for (const cell of rows.flat()) {
      // The peers with either kind too, to whom it is all one: no server is to run longer than another before.
      for (const mode of ['pool', 'same'] as const) {
        const { subject, question } = cell;
        const cpu = await warmUp({ subject, question, backend, mode }, warmUpSeconds);
        cell.requests[mode] = Math.max(100, Math.ceil((blockSeconds * 1e6) / cpu));
      }
    }
  }
  return rows;
};

const figuresOf = (findings: Findings): SubjectFigures => ({
  operations: new Map(
    [...findings.operations].map(
      ([
        name,
        {
          alone,
          samples: { pool, same },
        },
      ]) => {
        if (!alone) throw new Error(`${name} was not measured alone`);
        return [name, { alone, pool: medianSample(pool), same: same[0] && medianSample(same) }];
      },
    ),
  ),
  peakMegabytes: median(findings.peakMegabytes),
  startMilliseconds: median(findings.startMilliseconds),
});

/**
 * The whole comparison. All servers run at the same time and are measured in turn; and all are started anew some times,
 * since what V8 compiles first and where memory comes to lie makes one process a tenth faster or slower than the
 * next, for as long as it runs.
 */
export const compare = async (settings: Settings, progress: Progress): Promise<Comparison> => {
  const { rounds, generations, starts } = settings;
  const backend = await startBackend();
  const findings = new Map(subjectNames.map((name) => [name, noFindings()]));
  progress.say('starting the servers');
  for (let turn = generations; turn < starts; turn += 1) {
    await stopEach(await startAll(backend, findings, turn));
  }
  let round = 0;
  for (let generation = 0; generation < generations; generation += 1) {
    progress.say(`generation ${generation + 1} of ${generations}: starting and warming up`);
    const subjects = await startAll(backend, findings, generation);
    const rows = await prepare(subjects, backend, findings, settings);
    while (round < (rounds * (generation + 1)) / generations) {
      progress.say(`round ${round + 1} of ${rounds}`);
      await measureRound(rows, backend, round);
      round += 1;
    }
    for (const { name, pid } of subjects) {
      found(findings, name).peakMegabytes.push(peakMegabytes(pid));
    }
    await stopEach(subjects);
  }
  return {
    rounds,
    generations,
    subjects: new Map([...findings].map(([name, all]) => [name, figuresOf(all)])),
  };
};
