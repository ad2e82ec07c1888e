import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse, View } from 'vega';
import { type Config, compile, type TopLevelSpec } from 'vega-lite';
import { type First, readResults, type Share } from './results.ts';

/** A text colour that is readable on white and on black, and colours that colour-blind people can distinguish. */
const ink = '#77808c';
const colours: Readonly<Record<string, string>> = {
  Sluice: '#2f7fd6',
  'Sluice × 3': '#7fb4ee',
  Yoga: '#d98324',
  Mercurius: '#a66fb5',
  Apollo: '#8d8d8d',
};
const servers = Object.keys(colours);
/** A colour for each of these servers. */
const colourOf = (shown: readonly string[]) => ({
  field: 'server',
  scale: { domain: [...shown], range: shown.map((server) => colours[server] ?? ink) },
  legend: { title: null, orient: 'top' as const, symbolType: 'square' },
});

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

/** The labels of the scenarios on the axis. */
const words: Readonly<Record<string, readonly string[]>> = {
  s1: ['s1: 5 viewers', 'of 10 reads'],
  s2: ['s2: 20 viewers', 'of 2 reads'],
  s3: ['s3: 12 keys,', '72 viewers'],
  s4: ['s4: 30 pages', 'at once'],
  s5: ['s5: as s1,', 'with writes'],
  s6: ['s6: 2 reads,', 'with writes'],
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
        ...{ labelFontSize: 12, labelLineHeight: 15 },
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
    color: colourOf(servers),
  },
});

/** Seconds to the first whole view, by the number of services on the page. */
export const firstWholeViews = (firsts: readonly First[]): TopLevelSpec => {
  const whole = firsts.filter(({ windows, seconds }) => windows === 'sliding' && seconds !== null);
  const shown = servers.filter((name) => whole.some(({ server }) => server === name));
  return {
    width: 620,
    height: 240,
    config,
    data: { values: [...whole] },
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
      color: colourOf(shown),
    },
  };
};

const draw = async (name: string, spec: TopLevelSpec): Promise<void> => {
  const svg = await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
  writeFileSync(new URL(`../docs/images/${name}.svg`, import.meta.url), `${svg}\n`);
};

/** Draws the plots of `docs/performance.md` from the stored results of the benchmark. */
export const drawPlots = async (): Promise<void> => {
  const { shares, firsts } = readResults();
  await draw('whole-views', shareOfWholeViews(shares));
  await draw('first-whole-view', firstWholeViews(firsts));
};

// Redraws the plots without a measurement: `node bench/plots.ts`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await drawPlots();
