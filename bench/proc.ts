import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of a process and of its descendants. */

const tasksOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`);

const treeOf = (pid: number): readonly number[] => [
  pid,
  ...tasksOf(pid)
    .flatMap((task) => readFileSync(`${task}/children`, 'utf8').split(' '))
    .filter((child) => child !== '')
    .flatMap((child) => treeOf(Number(child))),
];

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/**
 * CPU time, user and system together, of all threads of the tree, in microseconds. The scheduler's own
 * figure in nanoseconds: `/proc/<pid>/stat` has the same in steps of 10 ms.
 */
export const cpuMicroseconds = (pid: number): number =>
  sum(
    treeOf(pid)
      .flatMap(tasksOf)
      .map((task) => Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]) / 1000),
  );

/** The most memory that the tree's processes ever held, in megabytes. */
export const peakMegabytes = (pid: number): number =>
  sum(
    treeOf(pid).map((each) => {
      const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${each}/status`, 'utf8'));
      return Number(line?.[1]) / 1024;
    }),
  );
