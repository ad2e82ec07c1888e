import { parse as parseYaml } from 'yaml';
import { read, section, table } from '../docs/pages.ts';

/** The words of a cell that has nothing but names. */
const wordsOf = (cell = ''): readonly string[] => cell.match(/\w+/g) ?? [];

/** What docs/operating.md says of metrics. */
export const documented = table(
  section('docs/operating.md', 'Metrics'),
  'Metric',
  'Labels',
).flatMap(([names, labels, meaning = '']) =>
  wordsOf(names).map((name) => ({ name, labels: wordsOf(labels), meaning })),
);

/** The codes that docs/clients.md lists. */
export const documentedCodes: readonly string[] = ['When', 'Why'].flatMap((second) =>
  table(section('docs/clients.md', 'Errors'), 'Code', second).flatMap(([cell]) => wordsOf(cell)),
);

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly description: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

/** The alert rules of Prometheus. */
export const alertRules = (
  parseYaml(read('deploy/observability/alerts.yaml')) as Rules
).groups.flatMap(({ rules }) => rules);

/** What the panels of the dashboard ask for. */
export const panelTargets = (
  JSON.parse(read('deploy/observability/dashboard.json')) as Dashboard
).panels.flatMap(({ title, targets }) =>
  // Grafana puts an interval in its place.
  targets.map(({ expr, legendFormat }) => ({
    title,
    legendFormat,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  })),
);
