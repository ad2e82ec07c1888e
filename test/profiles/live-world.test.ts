import { expect, it, onTestFinished } from 'vitest';
import { rows } from '../operations/table.ts';
import { startSandboxStack, wide } from '../support/harness.ts';
import { documents, isSubscription, textOf, variablesOf } from '../support/operations.ts';

const live = { managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' } as const;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same element of another list: by its identifier, since lists of live services are in another order and longer. */
const counterpart = (element: unknown, others: readonly unknown[], index: number): unknown =>
  isObject(element) && 'id' in element
    ? others.find((other) => isObject(other) && other.id === element.id)
    : others[index];

/** What the second answer says differently from the first, of all that the first says. */
const differences = (first: unknown, second: unknown, name: string): readonly string[] => {
  if (first === null) return [];
  if (Array.isArray(first) && Array.isArray(second)) {
    if (first.length === 0 && second.length > 0) return [`${name}: none -> ${second.length}`];
    return first.flatMap((one, index) => differences(one, counterpart(one, second, index), name));
  }
  if (isObject(first) && isObject(second)) {
    return Object.entries(first).flatMap(([key, value]) => differences(value, second[key], key));
  }
  const [before, after] = [JSON.stringify(first), JSON.stringify(second)];
  return before === after ? [] : [`${name}: ${before} -> ${after}`];
};

const isQueryOfBoth = (name: string): boolean =>
  !isSubscription(name) && textOf(name).includes(`query ${name}`) && !rows[name]?.live;

it('shows the same world through both profiles, but for what HyperDX says in another way', async () => {
  const reference = await startSandboxStack({ config: wide });
  const services = await startSandboxStack({
    config: { ...wide, ...live },
    sandbox: { profile: 'live' },
  });
  onTestFinished(async () => {
    await reference.close();
    await services.close();
  });
  const found = new Set<string>();
  const names = Object.keys(documents).filter(isQueryOfBoth);
  expect(names).toContain('ServicesWithPipes');
  for (const name of names) {
    const options = { variables: variablesOf(name), operationName: name };
    const first = await reference.query(textOf(name), options);
    const second = await services.query(textOf(name), options);
    expect([name, second.body.errors]).toEqual([name, first.body.errors]);
    for (const one of differences(first.body.data, second.body.data, name)) found.add(one);
  }
  expect([...found].sort()).toEqual([
    // Quantiles have a level.
    'aggFn: "p50" -> "quantile"',
    'aggFn: "p95" -> "quantile"',
    // Numbers have no ratio.
    'asRatio: false -> null',
    // Of a paused pipe.
    'availableCommands: "STOP" -> "START"',
    // There are sources in its place: sourceId.
    'dataSource: "events" -> null',
    'dataSource: "metrics" -> null',
    'groupBy: [] -> null',
    // All series of a tile are grouped alike.
    'groupBy: none -> 1',
    'phase: "UNKNOWN" -> "FIRING"',
    // Services have a state.
    'phase: "UNKNOWN" -> "RUNNING"',
    // Text is a kind of tile.
    'series: none -> 1',
    'servicePhase: "UNKNOWN" -> "RUNNING"',
    'silenced: false -> null',
    'state: "active" -> "ALERT"',
    // There is a pipe for each further source.
    'totalCount: 7 -> 11',
    // A metric has its name apart from the condition.
    'where: "name:kafka.lag" -> ""',
    'where: "name:pipe.rows" -> ""',
  ]);
}, 30_000);
