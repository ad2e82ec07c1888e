import { figuresOf, missesOf } from './bounds.ts';
import { type ServerName, serverNames } from './children.ts';
import { clientNames } from './clients.ts';
import type { CpuFigures, Series } from './cpu.ts';
import type { Goodput } from './goodput.ts';
import { queries } from './queries.ts';

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};

type Row = readonly (string | number)[];

/** A Markdown table; its first `left` columns hold words and the others figures. */
export const table = (left: number, header: readonly string[], rows: readonly Row[]): string => {
  const widths = header.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => String(row[at]).length)),
  );
  const line = (cells: Row): string => {
    const padded = widths.map((width, at) => {
      const cell = String(cells[at]);
      return at < left ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, at) => `${'-'.repeat(width - 1)}${at < left ? '-' : ':'}`);
  return [header, rule, ...rows].map(line).join('\n');
};

/** A scenario on one server. */
const summary = (goodput: Goodput, replicas: number) => {
  const { scenario, windows, server, writes, counts } = goodput;
  const figures = figuresOf(goodput);
  const { views, whole, prompt, oldest, oldestOfAll, earlier, failedWrites } = figures;
  const row: Row = [
    `${scenario.name}, ${windows}`,
    server === 'replicas' ? `Sluice × ${replicas}` : server,
    `${whole} of ${views}`,
    `${Math.round((100 * prompt) / views)} %`,
    counts.calls,
    counts.refused,
    oldest?.toFixed(1) ?? '–',
    oldestOfAll?.toFixed(1) ?? '–',
    scenario.writes ? earlier : '–',
    scenario.writes ? `${failedWrites} of ${writes.length}` : '–',
  ];
  const misses = missesOf(figures, scenario.bounds);
  return { scenario: row[0], server, whole, share: row[2], misses, row };
};

/**
 * The report on whole pages under the limits: a verdict on Sluice for each scenario, whether it missed any bound, and all
 * figures. `outcomes` has Sluice first for each scenario, and its replicas, if there are several, last.
 */
export const goodputReport = (outcomes: readonly (readonly Goodput[])[], replicas: number) => {
  const summaries = outcomes.map((outcome) => outcome.map((each) => summary(each, replicas)));
  const lines = summaries.map(([sluice, ...others]) => {
    const [best] = others
      .filter(({ server }) => server !== 'replicas')
      .toSorted((a, b) => b.whole - a.whole);
    const together = others.find(({ server }) => server === 'replicas');
    const ofReplicas = together ? ` ${together.share} through ${replicas} replicas of it,` : '';
    const misses = sluice?.misses ?? [];
    const verdict = misses.length === 0 ? 'all bounds kept' : `MISSED: ${misses.join('; ')}`;
    const ofOthers = best
      ? ` ${best.share} through the best other server (${best.server})`
      : ' no other can read it';
    return `- ${sluice?.scenario} windows: ${verdict}. ${sluice?.share} views were whole through Sluice,${ofReplicas}${ofOthers}.`;
  });
  const header = ['scenario, windows', 'server', 'whole', 'within 1 s', 'calls', '429'];
  const ages = ['oldest part of 95 %, s', 'of all, s', 'earlier state', 'failed writes'];
  const rows = summaries.flat().map(({ row }) => row);
  return {
    isMissed: summaries.some(([sluice]) => sluice && sluice.misses.length > 0),
    lines,
    text: `## Whole pages\n\n${table(2, [...header, ...ages], rows)}`,
  };
};

/** CPU, upstream calls, rounds and memory: a summary and all figures. */
export const cpuReport = ({ servers, clients, peaks }: CpuFigures) => {
  const of = (server: ServerName) => servers.filter((series) => series.server === server);
  /** CPU relative to Mercurius, for each block. */
  const ratios = ({ query, cpu }: Series): readonly number[] => {
    const other = of('Mercurius').find((series) => series.query === query);
    return cpu.map((each, block) => each / (other?.cpu[block] ?? Number.NaN));
  };
  const cpuCell = (series: Series): string => {
    const each = ratios(series);
    const [least, most] = [Math.min(...each).toFixed(2), Math.max(...each).toFixed(2)];
    return `${median(series.cpu).toFixed(0)} µs, ${median(each).toFixed(2)} (${least}–${most})`;
  };
  const summary = (server: ServerName): string => {
    const each = of(server).map((one) => `${one.query.name} ${median(ratios(one)).toFixed(2)}`);
    return `- CPU of ${server} for a request, where that of Mercurius is 1: ${each.join(', ')}.`;
  };
  const header = queries.map(({ name }) => name);
  const cpuRows = serverNames.map((name): Row => [name, ...of(name).map(cpuCell)]);
  const callRows = serverNames.map((name): Row => {
    const calls = of(name).map(({ counts }) => `${counts.calls} in ${counts.rounds}`);
    return [name, ...calls, median(peaks.get(name) ?? []).toFixed(0)];
  });
  const clientRows = clientNames.map((client): Row => {
    const own = clients.filter((series) => series.client === client);
    return [client, ...own.map(({ cpu }) => median(cpu).toFixed(0))];
  });
  return {
    lines: (['Sluice', 'Yoga', 'LIMIT'] as const).map(summary),
    text: [
      '## Four queries',
      `CPU a request, and how many times that of Mercurius it is (smallest–largest). Medians; blocks: ${servers[0]?.cpu.length}.`,
      table(1, ['server', ...header], cpuRows),
      'Upstream calls of a request, in rounds that wait for each other, and peak memory:',
      table(1, ['server', ...header, 'MB'], callRows),
      'CPU of Sluice in µs a request, with the headers of five clients:',
      table(1, ['headers of', ...header], clientRows),
    ].join('\n\n'),
  };
};
