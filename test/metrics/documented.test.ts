import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { read, section, table } from '../support/docs/pages.ts';
import type { Sample, Scrape } from '../support/metrics/scrape.ts';
import { drive, openMetrics } from '../support/metrics/world.ts';

/** The words of a cell that has nothing but names. */
const wordsOf = (cell = ''): readonly string[] => cell.match(/\w+/g) ?? [];

/** What docs/operating.md says of the gateway's own metrics. */
const documented = table(section('docs/operating.md', 'Metrics'), 'Metric', 'Labels').flatMap(
  ([names, labels, meaning = '']) =>
    wordsOf(names).map((name) => ({ name, labels: wordsOf(labels), meaning })),
);

interface Expression {
  readonly of: string;
  readonly expr: string;
  readonly shown: string;
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const { groups }: Rules = parseYaml(read('deploy/observability/alerts.yaml'));
const alertRules = groups.flatMap(({ rules }) => rules);
const { panels }: Dashboard = JSON.parse(read('deploy/observability/dashboard.json'));
const expressions: readonly Expression[] = [
  ...alertRules.map(({ alert, expr, annotations: { summary, description } }) => ({
    ...{ of: `the alert ${alert}`, expr, shown: summary + description },
  })),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      of: `the panel ${title}`,
      // Grafana puts an interval in its place.
      expr: expr.replaceAll('$__rate_interval', '5m'),
      shown: legendFormat,
    })),
  ),
];

let scrape: Scrape;
let end: () => Promise<void>;
beforeAll(async () => {
  const cacheSecret = 'a-secret-that-all-replicas-have-in-common';
  // Redis is counted whether it answers or not.
  const shared = await openMetrics({ redisUrl: 'redis://127.0.0.1:1', cacheSecret });
  const redis = await shared.scrape();
  await shared.close();
  const world = await openMetrics();
  const leave = await drive(world);
  const own = await world.scrape();
  const ofRedis = redis.samples.filter(({ name }) => name === 'sluice_redis_up');
  scrape = {
    ...own,
    types: new Map([...own.types, ...redis.types]),
    samples: [...own.samples, ...ofRedis],
  };
  end = async () => {
    leave();
    await world.close();
  };
});
afterAll(() => end());

const samplesOf = (metric: string): readonly Sample[] =>
  scrape.samples.filter(
    ({ name }) =>
      name === metric ||
      (scrape.types.get(metric) === 'histogram' &&
        ['_bucket', '_sum', '_count'].some((ending) => name === metric + ending)),
  );

const labelsOf = (metric: string): readonly string[] => {
  const all = samplesOf(metric).flatMap(({ labels }) => Object.keys(labels));
  return [...new Set(all.filter((label) => label !== 'le'))];
};

const valuesOf = (label: string): readonly string[] =>
  [...new Set(scrape.samples.flatMap(({ labels }) => labels[label] ?? []))].sort();

describe('docs/operating.md, Metrics', () => {
  it('names every metric of a scrape but those of prom-client with its labels, and none without samples', () => {
    const names = documented.map(({ name }) => name);
    const own = [...scrape.types.keys()].filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(own.sort()).toEqual([...names].sort());
    expect(documented.filter(({ name }) => samplesOf(name).length === 0)).toEqual([]);
    expect(documented.map(({ name }) => [name, labelsOf(name)])).toEqual(
      documented.map(({ name, labels }) => [name, labels]),
    );
  });

  it.each(['outcome', 'status', 'state', 'priority', 'from', 'reason'])(
    'names every value of the label %s',
    (label) => {
      const rows = documented.filter(({ labels }) => labels.includes(label));
      const text = rows.map(({ meaning }) => meaning).join(' ');
      expect(valuesOf(label)).not.toEqual([]);
      expect(valuesOf(label).filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
    },
  );

  it('has exactly the codes of docs/clients.md, and one for all others', () => {
    const codes = ['When', 'Why'].flatMap((second) =>
      table(section('docs/clients.md', 'Errors'), 'Code', second).flatMap(([cell]) =>
        wordsOf(cell),
      ),
    );
    expect(valuesOf('code')).toEqual([...codes, 'OTHER'].sort());
  });
});

/** Whether a matcher such as `code!~"A|B"` lets these labels pass; one that is not there matches nothing. */
const isMatch = (labels: Sample['labels'], matcher: string): boolean => {
  const [, label = '', operator = '', value = ''] =
    /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(matcher) ?? [];
  const given = labels[label];
  if (given === undefined) return false;
  const fits = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : given === value;
  return operator.startsWith('!') ? !fits : fits;
};

describe('deploy/observability', () => {
  it.each(expressions)('$of asks for what is in a scrape: $expr', ({ expr, shown }) => {
    const grouping: string[] = [];
    const found: Sample[] = [];
    parser.parse(expr).iterate({
      enter: ({ type, from, to, node }) => {
        const text = expr.slice(from, to);
        if (type.isError) throw new SyntaxError(`no PromQL at ${from}: ${expr}`);
        if (type.name === 'GroupingLabels') grouping.push(...wordsOf(text));
        if (type.name !== 'VectorSelector') return;
        const name = node.getChild('Identifier');
        const matchers = text.match(/\w+\s*(?:=~|!~|!=|=)\s*"[^"]*"/g) ?? [];
        const samples = scrape.samples.filter(
          (sample) =>
            sample.name === expr.slice(name?.from, name?.to) &&
            matchers.every((matcher) => isMatch(sample.labels, matcher)),
        );
        expect(samples, text).not.toEqual([]);
        found.push(...samples);
      },
    });
    expect(found).not.toEqual([]);
    const legend = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, name]) => name);
    // Prometheus adds where it has scraped.
    const known = new Set(['instance', ...found.flatMap(({ labels }) => Object.keys(labels))]);
    expect([...grouping, ...legend].filter((label) => !known.has(label ?? ''))).toEqual([]);
  });

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
