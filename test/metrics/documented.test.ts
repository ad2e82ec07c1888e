import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alertRules,
  documented,
  documentedCodes,
  panelTargets,
} from '../support/metrics/documented.ts';
import { areMatching, parseExpression } from '../support/metrics/promql.ts';
import type { Sample, Scrape } from '../support/metrics/scrape.ts';
import { drive, openMetrics } from '../support/metrics/world.ts';

const names = documented.map(({ name }) => name);

/** The figures of a gateway that is to share with replicas; Redis is counted whether it answers or not. */
const scrapeWithRedis = async (): Promise<Scrape> => {
  const cacheSecret = 'a-secret-that-all-replicas-have-in-common';
  const world = await openMetrics({ redisUrl: 'redis://127.0.0.1:1', cacheSecret });
  const found = await world.scrape();
  await world.close();
  return found;
};

let scrape: Scrape;
let end: () => Promise<void>;
beforeAll(async () => {
  const redis = await scrapeWithRedis();
  const world = await openMetrics();
  const leave = await drive(world);
  const own = await world.scrape();
  scrape = {
    ...own,
    types: new Map([...own.types, ...redis.types]),
    samples: [...own.samples, ...redis.samples.filter(({ name }) => name === 'sluice_redis_up')],
  };
  end = async () => {
    leave();
    await world.close();
  };
});
afterAll(() => end());

const isOf = (sample: Sample, name: string): boolean =>
  sample.name === name ||
  (scrape.types.get(name) === 'histogram' &&
    ['_bucket', '_sum', '_count'].some((ending) => sample.name === name + ending));

const labelsOf = (name: string): readonly string[] => [
  ...new Set(
    scrape.samples
      .filter((sample) => isOf(sample, name))
      .flatMap(({ labels }) => Object.keys(labels))
      .filter((label) => label !== 'le'),
  ),
];

const valuesOf = (label: string): readonly string[] =>
  [...new Set(scrape.samples.flatMap(({ labels }) => labels[label] ?? []))].sort();

describe('docs/operating.md, Metrics', () => {
  it('names every metric of a scrape but those of prom-client, and no other', () => {
    const own = [...scrape.types.keys()].filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(own.sort()).toEqual([...names].sort());
  });

  it('names only metrics that have samples after real traffic', () => {
    const empty = names.filter((name) => !scrape.samples.some((sample) => isOf(sample, name)));
    expect(empty).toEqual([]);
  });

  it('names exactly the labels of every metric', () => {
    expect(documented.map(({ name }) => [name, labelsOf(name)])).toEqual(
      documented.map(({ name, labels }) => [name, labels]),
    );
  });

  it.each(['outcome', 'status', 'state', 'priority', 'from', 'reason'])(
    'names every value of the label %s',
    (label) => {
      const text = documented
        .filter(({ labels }) => labels.includes(label))
        .map(({ meaning }) => meaning)
        .join(' ');
      expect(valuesOf(label)).not.toEqual([]);
      expect(valuesOf(label).filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
    },
  );

  it('has exactly the codes of docs/clients.md, and one for all others', () => {
    expect(valuesOf('code')).toEqual([...documentedCodes, 'OTHER'].sort());
  });
});

describe.each([
  [
    'alerts.yaml',
    alertRules.map(({ alert, expr, annotations }) => ({
      of: alert,
      expr,
      shown: annotations.summary + annotations.description,
    })),
  ],
  [
    'dashboard.json',
    panelTargets.map(({ title, expr, legendFormat }) => ({ of: title, expr, shown: legendFormat })),
  ],
])('deploy/observability/%s', (_, expressions) => {
  it.each(expressions)('$of asks for what is in a scrape: $expr', ({ expr }) => {
    const { selectors } = parseExpression(expr);
    expect(selectors).not.toEqual([]);
    const unknown = selectors.filter(
      ({ name, matchers }) =>
        !scrape.samples.some(
          (sample) => sample.name === name && areMatching(sample.labels, matchers),
        ),
    );
    expect(unknown).toEqual([]);
  });

  it.each(expressions)('$of groups by labels that there are: $expr', ({ expr, shown }) => {
    const { selectors, grouping } = parseExpression(expr);
    const inLegend = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(
      ([, label = '']) => label,
    );
    const labels = scrape.samples
      .filter(({ name }) => selectors.some((selector) => selector.name === name))
      .flatMap((sample) => Object.keys(sample.labels));
    // Prometheus adds where it has scraped.
    const known = new Set([...labels, 'instance']);
    expect([...grouping, ...inLegend].filter((label) => !known.has(label))).toEqual([]);
  });
});

describe('deploy/observability/alerts.yaml', () => {
  it('says what has happened and what to do, in every rule', () => {
    expect(alertRules.length).toBeGreaterThan(5);
    for (const rule of alertRules) {
      expect(rule).toMatchObject({
        annotations: { summary: expect.any(String), description: expect.any(String) },
        labels: { severity: expect.stringMatching(/^(?:page|ticket)$/) },
      });
    }
  });
});
