import { beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { read, section, table } from '../support/docs/pages.ts';
import {
  alerts,
  as,
  dashboards,
  openMetrics,
  pipes,
  type Sample,
  type Scrape,
  stop,
  subscription,
} from '../support/metrics.ts';
import { holdTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { numbers } from '../support/world/worlds.ts';

/** The words of a cell that has nothing but names. */
const wordsOf = (cell = ''): readonly string[] => cell.match(/\w+/g) ?? [];

/** What docs/operating.md says of the gateway's own metrics. */
const documented = table(section('docs/operating.md', 'Metrics'), 'Metric', 'Labels').flatMap(
  ([names, labels, meaning = '']) =>
    wordsOf(names).map((name) => ({ name, labels: wordsOf(labels), meaning })),
);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const alertRules: readonly Rule[] = parseYaml(read('deploy/monitoring/alerts.yaml')).groups[0]
  .rules;
const panels: readonly Panel[] = JSON.parse(read('deploy/monitoring/dashboard.json')).panels;
const expressions = [
  ...alertRules.map(({ alert, expr, annotations: { summary, description } }) => ({
    ...{ of: `the alert ${alert}`, expr, shown: summary + description },
  })),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat: shown }) => ({ of: `the panel ${title}`, expr, shown })),
  ),
];

let types: ReadonlyMap<string, string>;
let samples: readonly Sample[];
/** A scrape after at least one of everything that metrics count. */
beforeAll(async () => {
  const cacheSecret = 'a-secret-that-all-replicas-have-in-common';
  // Redis is counted whether it answers or not.
  const shared = await openMetrics({ redisUrl: 'redis://127.0.0.1:1', cacheSecret });
  const redis: Scrape = await shared.scrape();
  await shared.close();
  const { ask, url, scrape, close } = await openMetrics();
  const time = holdTime();
  for (const document of [pipes(1), pipes(1), stop, '{ nothing }']) await ask('reader', document);
  await ask('429', pipes(1));
  const open = await subscribe(url, subscription, { headers: as('watcher') });
  await open.event(1);
  await ask('flaky', alerts);
  await ask('busy', pipes(...numbers(11)));
  time.pass(5);
  await ask('busy', pipes(1));
  await ask('502-one', alerts);
  await ask('502-other', dashboards);
  const own: Scrape = await scrape();
  open.leave();
  time.release();
  await close();
  types = new Map([...own.types, ...redis.types]);
  samples = [...own.samples, ...redis.samples.filter(({ name }) => name === 'sluice_redis_up')];
});

/** The names of the labels of a metric; undefined if it has no samples. */
const labelsOf = (metric: string): readonly string[] | undefined => {
  const endings = types.get(metric) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  const all = samples.filter(({ name }) => endings.some((ending) => name === metric + ending));
  const labels = new Set(all.flatMap((sample) => Object.keys(sample.labels)));
  labels.delete('le');
  return all.length === 0 ? undefined : [...labels];
};

const valuesOf = (label: string): readonly string[] =>
  [...new Set(samples.flatMap(({ labels }) => labels[label] ?? []))].sort();

describe('docs/operating.md, Metrics', () => {
  it('docs/operating.md names every metric of a scrape but those of prom-client with its labels, and none without samples', () => {
    const own = [...types.keys()].filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(own.sort()).toEqual(documented.map(({ name }) => name).sort());
    for (const { name, labels } of documented)
      expect([name, labelsOf(name)]).toEqual([name, labels]);
  });

  it.each(['outcome', 'status', 'state', 'priority', 'from', 'reason'])(
    'docs/operating.md names every value of the label %s',
    (label) => {
      const rows = documented.filter(({ labels }) => labels.includes(label));
      const text = rows.map(({ meaning }) => meaning).join(' ');
      expect(valuesOf(label)).not.toEqual([]);
      expect(valuesOf(label).filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
    },
  );

  it('metrics have exactly the codes of docs/clients.md, and one for all others', () => {
    const page = section('docs/clients.md', 'Errors');
    const rows = ['When', 'Why'].flatMap((second) => table(page, 'Code', second));
    const codes = rows.flatMap(([cell]) => wordsOf(cell));
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

describe('deploy/monitoring', () => {
  it.each(expressions)('$of asks for what is in a scrape: $expr', ({ expr, shown }) => {
    const found: Sample[] = [];
    const selectors = [...expr.matchAll(/\b((?:sluice|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
    for (const [text, metric, braces = ''] of selectors) {
      const matchers = braces.match(/\w+\s*(?:=~|!~|!=|=)\s*"[^"]*"/g) ?? [];
      const own = matchers.filter((matcher) => !/^(?:namespace|job|instance)=~"\$/.test(matcher));
      const matching = samples.filter(
        ({ name, labels }) => name === metric && own.every((each) => isMatch(labels, each)),
      );
      expect(matching, text).not.toEqual([]);
      found.push(...matching);
    }
    expect(found).not.toEqual([]);
    const grouping = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) =>
      wordsOf(list),
    );
    const legend = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, name]) => name);
    // Prometheus adds where it has scraped.
    const added = ['job', 'namespace', 'instance'];
    const known = new Set([...added, ...found.flatMap(({ labels }) => Object.keys(labels))]);
    expect([...grouping, ...legend].filter((label) => !known.has(label ?? ''))).toEqual([]);
  });

  it('every alert rule says what has happened and what to do, in every rule', () => {
    expect(alertRules.length).toBeGreaterThan(5);
    const annotations = { summary: expect.any(String), description: expect.any(String) };
    const labels = { severity: expect.stringMatching(/^(?:page|ticket)$/) };
    for (const rule of alertRules) expect(rule).toMatchObject({ annotations, labels });
  });
});
