import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse, View } from 'vega';
import { type Config, compile, type TopLevelSpec } from 'vega-lite';
import { type First, readResults, type Share } from './results.ts';

/** Ink that can be read on white and on black, and colours that people without red and green tell apart. */
const ink = '#77808c';
const colours: Readonly<Record<string, string>> = {
  Sluice: '#2f7fd6',
  'Sluice × 3': '#7fb4ee',
  Yoga: '#d98324',
  Mercurius: '#a66fb5',
  Apollo: '#8d8d8d',
};
const servers = Object.keys(colours);
const colour = {
  field: 'server',
  scale: { domain: servers, range: servers.map((server) => colours[server] ?? ink) },
  legend: { title: null, orient: 'top', symbolType: 'square' },
} as const;

const config: Config = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  axis: {
    ...{ labelColor: ink, titleColor: ink, tickColor: ink, domainColor: ink, gridColor: ink },
    ...{ gridOpacity: 0.25, labelFontSize: 13, titleFontSize: 13, titleFontWeight: 'normal' },
  },
  legend: { labelColor: ink, labelFontSize: 13 },
  view: { stroke: null },
};

/** What each scenario is, as the axis names it. */
const words: Readonly<Record<string, readonly string[]>> = {
  s1: ['services and pipes,', '5 viewers, 1 key'],
  s2: ['dashboards,', '20 viewers, 1 token'],
  s3: ['both pages,', '72 viewers, 12 keys'],
  s4: ['30 small pages', 'at once, 1 key'],
  s5: ['as the first,', 'and writes'],
  s6: ['one service,', 'and writes'],
};

/** The share of views that were whole, by scenario and server. */
export const shareOfWholeViews = (shares: readonly Share[]): TopLevelSpec => ({
  width: 620,
  height: 240,
  config,
  data: {
    values: shares
      .filter(({ windows, scenario }) => windows === 'sliding' && words[scenario])
      .map(({ scenario, server, whole, views }) => ({ scenario, server, share: whole / views })),
  },
  mark: { type: 'bar', cornerRadiusEnd: 1 },
  encoding: {
    x: {
      field: 'scenario',
      axis: {
        ...{ title: null, labelAngle: 0, domain: false, ticks: false, labelPadding: 8 },
        ...{ labelFontSize: 11, labelLineHeight: 14 },
        labelExpr: `${JSON.stringify(words)}[datum.value]`,
      },
    },
    xOffset: { field: 'server', sort: servers },
    y: {
      field: 'share',
      type: 'quantitative',
      scale: { domain: [0, 1] },
      axis: { title: 'views that were whole', format: '.0%', tickCount: 5, domain: false },
    },
    color: colour,
  },
});

/** Seconds to the first whole view, by the number of services on the page. */
export const firstWholeViews = (firsts: readonly First[]): TopLevelSpec => ({
  width: 620,
  height: 240,
  config,
  data: {
    values: firsts.filter(({ windows, seconds }) => windows === 'sliding' && seconds !== null),
  },
  mark: { type: 'line', point: { size: 60 }, strokeWidth: 2 },
  encoding: {
    x: {
      field: 'services',
      type: 'quantitative',
      axis: { title: 'services on the page', grid: false },
    },
    y: {
      field: 'seconds',
      type: 'quantitative',
      axis: { title: 'seconds to the first whole view', tickCount: 5, domain: false },
    },
    color: colour,
  },
});

const draw = async (name: string, spec: TopLevelSpec): Promise<void> => {
  const svg = await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
  writeFileSync(new URL(`../docs/images/${name}.svg`, import.meta.url), `${svg}\n`);
};

/** Draws the plots of `docs/performance.md` from what the benchmark has kept. */
export const drawPlots = async (): Promise<void> => {
  const { shares, firsts } = readResults();
  await draw('whole-views', shareOfWholeViews(shares));
  await draw('first-whole-view', firstWholeViews(firsts));
};

// Draws them anew without a measurement: `node bench/plots.ts`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await drawPlots();
