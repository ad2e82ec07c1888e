import { type Backend, startBackend } from './backend.ts';
import type { Block } from './check.ts';
import { expectedAnswer } from './expected.ts';
import { measure, medianSample, type Sample, warmUp } from './measure.ts';
import { createBodies, operationNamed, operations } from './operations.ts';
import type { Settings } from './options.ts';
import { peakMegabytes } from './proc.ts';
import { type Progress, rotated } from './progress.ts';
import { allSeries, rows, type Series } from './series.ts';
import { median } from './statistics.ts';
import {
  type Question,
  type Subject,
  type SubjectName,
  startSubject,
  subjectNames,
} from './subject.ts';

/** Memory and start-up of a server. */
export interface ProcessFigures {
  readonly peakMegabytes: number;
  readonly startMilliseconds: number;
}

/** What came out: medians. */
export interface Comparison {
  readonly rounds: number;
  /** How often all servers were started. */
  readonly generations: number;
  readonly samples: ReadonlyMap<Series, Sample>;
  readonly processes: ReadonlyMap<SubjectName, ProcessFigures>;
}

const found = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value => {
  const value = map.get(key);
  if (value === undefined) throw new Error(`there is nothing for ${String(key)}`);
  return value;
};

const createQuestions = async (): Promise<ReadonlyMap<string, Question>> =>
  new Map(
    await Promise.all(
      operations.map(
        async ({ name }): Promise<[string, Question]> => [
          name,
          {
            name,
            nextBody: createBodies(operationNamed(name)),
            expected: await expectedAnswer(operationNamed(name)),
          },
        ],
      ),
    ),
  );

/** Starts all servers, one after the other. */
const startAll = async (
  backend: Backend,
  generation: number,
): Promise<ReadonlyMap<SubjectName, Subject>> => {
  const subjects = new Map<SubjectName, Subject>();
  for (const name of rotated(subjectNames, generation)) {
    subjects.set(name, await startSubject(name, backend));
  }
  return subjects;
};

/** How many series are of the same server and operation. */
const sharing = ({ subject, operation }: Series): number =>
  allSeries.filter((other) => other.subject === subject && other.operation === operation).length;

/**
 * Has V8 compile what the series run, and chooses the number of requests of a block.
 * Every server spends the same CPU time on an operation, however many series it has.
 */
const prepare = async (
  blocks: ReadonlyMap<Series, Block>,
  { warmUpSeconds, blockSeconds }: Settings,
): Promise<ReadonlyMap<Series, number>> => {
  const requests = new Map<Series, number>();
  for (const [series, block] of blocks) {
    const cpu = await warmUp(block, warmUpSeconds / sharing(series));
    requests.set(series, Math.ceil((blockSeconds * 1e6) / cpu));
  }
  return requests;
};

/**
 * The whole comparison. All servers run at the same time and are measured in turn. They are started several times,
 * since one process of the same code is a tenth faster or slower than the next for as long as it runs.
 */
export const compare = async (settings: Settings, progress: Progress): Promise<Comparison> => {
  const { rounds, generations } = settings;
  const backend = await startBackend();
  const questions = await createQuestions();
  const samples = new Map<Series, Sample[]>(allSeries.map((series) => [series, []]));
  const peaks = new Map<SubjectName, number[]>(subjectNames.map((name) => [name, []]));
  const starts = new Map<SubjectName, number[]>(subjectNames.map((name) => [name, []]));
  let round = 0;
  for (let generation = 0; generation < generations; generation += 1) {
    progress.say(`generation ${generation + 1} of ${generations}: starting and warming up`);
    const subjects = await startAll(backend, generation);
    const blocks = new Map<Series, Block>(
      allSeries.map((series) => {
        const { mode, client } = series;
        const subject = found(subjects, series.subject);
        return [
          series,
          { subject, question: found(questions, series.operation), backend, mode, client },
        ];
      }),
    );
    const requests = await prepare(blocks, settings);
    for (; round < (rounds * (generation + 1)) / generations; round += 1) {
      progress.say(`round ${round + 1} of ${rounds}`);
      for (const series of rows.flatMap((row, index) => rotated(row, round + index))) {
        const sample = await measure(found(blocks, series), found(requests, series));
        found(samples, series).push(sample);
      }
    }
    for (const [name, subject] of subjects) {
      found(starts, name).push(subject.startMilliseconds);
      found(peaks, name).push(peakMegabytes(subject.pid));
      await subject.stop();
    }
  }
  return {
    rounds,
    generations,
    samples: new Map([...samples].map(([series, each]) => [series, medianSample(each)])),
    processes: new Map(
      subjectNames.map((name) => [
        name,
        {
          peakMegabytes: median(found(peaks, name)),
          startMilliseconds: median(found(starts, name)),
        },
      ]),
    ),
  };
};
