import { limits, type OperationCase, type OperationGroup, sizes } from './case.ts';

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

What each kind of operation costs. Both upstreams limit how often a credential may call them: management takes
${limits[0].calls} calls in ${limits[0].seconds} seconds from each key, observability ${limits[1].calls} calls in ${limits[1].seconds} seconds from each token. So the number of
calls matters most. An operation of one window is sent at once; one of two has to wait for the second. The number of rounds tells how often
the operation waits for answers.

This page is written by \`test/calls/upstream-calls.test.ts\` from real runs. Change nothing here by hand: run
\`npx vitest run test/calls/upstream-calls.test.ts --update\` instead.

## How it is counted

A **call** is one HTTP request that reached an upstream; equal calls are counted as often as they came.

A **round** is a set of calls that are under way together. The upstreams of the test answer nothing until
the gateway has stopped calling, and then answer everything at once. A call that arrives after that has
waited for one of those answers, and belongs to the next round. The number of rounds is therefore the
length of the longest chain of calls that wait for one another, on a fast machine as on a slow one. Each
call below stands after the number of its round.

A **window** is the time of a limit: ${limits[0].seconds} seconds for management, ${limits[1].seconds} for observability. An operation that makes more
calls to one upstream than its limit allows in a window needs several of them, and is in **bold** in the overview. The
calls beyond the first window wait, in management ${limits[0].seconds} seconds for the second window and ${2 * limits[0].seconds} for the third. With the default
settings no call waits longer than 25 seconds (\`PACING_WAIT_MS\`). The fields whose calls would have to wait longer fail
with \`RATE_LIMITED\`, all others are answered, and the gateway reads on, so that the next request gets more.

These are the costs where nothing is in memory yet and nobody else uses the credentials. In practice, what was read a few
seconds ago costs no call. If a credential has no call left, a single thing is read by its list, so that requests for
several things share that one call.

The operations run against ${sizes.organizations} organizations, of which \`organization-1\` has ${sizes.services} services with
${sizes.pipesPerService} pipes each, and against ${sizes.dashboards} dashboards with ${sizes.tilesPerDashboard} tiles each and ${sizes.alerts} alerts spread over them.
Identifiers are shortened: \`service-1\` stands for a UUID, and \`"Service:organization-1:service-1"\` for
the nodeId of that service.

## The rules behind it

- Equal reads of one request are one call. After a write, what it changed is read again.
- One thing is read by its own GET, several of a collection by one list. A list may be incomplete, so what is
  missing from it is read by its own GET.
- A thing is not read if only its identifiers and relations are selected.
- Relations of a thing that the caller names are read at the same time as the thing, not after it. If the thing does not
  exist, those calls were made for nothing. That is the price of saving a round in all other cases.
- Relations of things in a list are read after the list.
- Filters cost nothing: the upstreams send whole lists, and the gateway filters.
`;

/** The calls of a run to each upstream, and how many windows of its limit they take. */
const shares = ({ calls }: Measured) =>
  limits.map((limit) => {
    const count = calls.filter(({ call }) => call.includes(` ${limit.root}`)).length;
    return { ...limit, count, windows: Math.ceil(count / limit.calls) };
  });

const windowsOf = (measured: Measured): number =>
  Math.max(...shares(measured).map(({ windows }) => windows));

/** One row an operation. */
const overview = (
  groups: readonly OperationGroup[],
  measured: (operationCase: OperationCase) => Measured,
): string =>
  [
    '## Overview',
    '',
    '| operation | calls | windows | rounds |',
    '|---|---|---|---|',
    ...groups.flatMap(({ cases }) =>
      cases.map((operationCase) => {
        const run = measured(operationCase);
        const windows = windowsOf(run);
        const cells = [operationCase.title, run.calls.length, windows].map((cell) =>
          windows > 1 ? `**${cell}**` : cell,
        );
        return `| ${[...cells, run.rounds].join(' | ')} |`;
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

/** What of a run waits for a further window, where anything does. */
const waits = (measured: Measured): string =>
  shares(measured)
    .filter(({ windows }) => windows > 1)
    .map(
      ({ upstream, count, windows, seconds }) =>
        `Over the limit: ${plural(count, 'call')} to ${upstream} take ${windows} windows, so the last of them are sent ${(windows - 1) * seconds} seconds after the first.`,
    )
    .join(' ');

const section = (operationCase: OperationCase, measured: Measured): string => {
  const { calls, rounds } = measured;
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
    ...(windowsOf(measured) > 1 ? [waits(measured)] : []),
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
