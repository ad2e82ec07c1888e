import { type OperationCase, type OperationGroup, sizes } from './case.ts';

/** One call of a run. */
export interface MeasuredCall {
  readonly round: number;
  /** `METHOD /path`. */
  readonly call: string;
}

/** What a run of an operation showed. */
export interface Measured {
  /** By rounds, and in a fixed order within a round. */
  readonly calls: readonly MeasuredCall[];
  readonly rounds: number;
}

const introduction = `# Upstream calls

What each kind of operation costs. Both upstreams limit how often they may be called, so the number of
calls comes first; the number of rounds, which is the waiting time, comes right after it.

This page is written by \`test/upstream-calls.test.ts\` from real runs. Change nothing here by hand: run
\`npx vitest run test/upstream-calls.test.ts --update\` instead.

## How it is counted

A **call** is one HTTP request that reached an upstream; equal ones are counted as often as they came.

A **round** is a set of calls that are under way together. The upstreams of the test answer nothing until
the gateway has stopped calling, and then answer everything at once. A call that arrives after that has
waited for one of those answers, and belongs to the next round. The number of rounds is therefore the
length of the longest chain of calls that wait for one another, on a fast machine as on a slow one. Each
call below stands after the number of its round.

The operations run against ${sizes.organizations} organizations, of which \`organization-1\` has ${sizes.services} services with
${sizes.pipesPerService} pipes each, and against ${sizes.dashboards} dashboards with ${sizes.tilesPerDashboard} tiles each and ${sizes.alerts} alerts spread over them.
Identifiers are shortened: \`service-1\` stands for a UUID, and \`"Service:organization-1:service-1"\` for
the nodeId of that service.

## The rules behind it

- Equal reads of one request are one call. A write forgets the reads before it.
- One thing is read by its own GET, several of a collection by the one list. What a list lacks is asked
  for singly, since a list may be cut.
- A thing of which only identifiers and relations are selected is not read.
- Relations of a thing that the caller names start with it, not after it. Where there is no such thing,
  they were in vain: a round saved on every success is worth it.
- Relations of things found in a list start once there is such a thing.
- Filters cost nothing: the upstreams send lists whole, and the gateway filters.
- Nothing is kept between requests.
`;

/** One row an operation. */
const overview = (
  groups: readonly OperationGroup[],
  measured: (operationCase: OperationCase) => Measured,
): string =>
  [
    '## Overview',
    '',
    '| operation | calls | rounds |',
    '|---|---|---|',
    ...groups.flatMap(({ cases }) =>
      cases.map((operationCase) => {
        const { calls, rounds } = measured(operationCase);
        return `| ${operationCase.title} | ${calls.length} | ${rounds} |`;
      }),
    ),
  ].join('\n');

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * One line a call, after the number of its round. Calls that differ in the service only are one line,
 * where there are many.
 */
const callLines = (calls: readonly MeasuredCall[]): readonly string[] => {
  const lines = calls.map(({ round, call }) => `${round}  ${call}`);
  const shapes = Map.groupBy(lines, (line) => line.replace(/service-\d+/, 'service-{}'));
  return [...shapes].flatMap(([shape, alike]) => {
    if (alike.length <= 3) return alike;
    const numbers = alike.map((line) => /service-(\d+)/.exec(line)?.[1]);
    return [`${shape.replace('{}', `{${numbers.join(', ')}}`)}  (${alike.length} calls)`];
  });
};

const section = (operationCase: OperationCase, { calls, rounds }: Measured): string => {
  const { title, operation, variables, errors, bound } = operationCase;
  const count =
    calls.length === 0
      ? '**No call.**'
      : `**${plural(calls.length, 'call')} in ${plural(rounds, 'round')}:**`;
  return [
    `### ${title}`,
    block('graphql', operation),
    ...(variables ? [`with the variables \`${JSON.stringify(variables)}\``] : []),
    count,
    ...(calls.length > 0 ? [block('', callLines(calls).join('\n'))] : []),
    ...(errors
      ? [errors.map(([path, code]) => `\`${path}\` is null with \`${code}\`.`).join(' ')]
      : []),
    `Why not fewer: ${bound}`,
  ].join('\n\n');
};

/** The page docs/upstream-calls.md: the same text from the same runs. */
export const upstreamCallsPage = (
  groups: readonly OperationGroup[],
  measured: (operationCase: OperationCase) => Measured,
): string =>
  `${[
    introduction.trim(),
    overview(groups, measured),
    ...groups.flatMap(({ title, cases }) => [
      `## ${title}`,
      ...cases.map((operationCase) => section(operationCase, measured(operationCase))),
    ]),
  ].join('\n\n')}\n`;
