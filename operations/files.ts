import { globSync, readdirSync } from 'node:fs';
import { createSchema } from '../src/gateway/schema.ts';
import { sdlOf } from '../src/schema/sdl.ts';
import { rows } from '../test/operations/table.ts';
import { documentsOf } from './documents.ts';
import { policiesModule } from './policies.ts';
import { postmanCollection } from './postman.ts';
import { read, root } from './root.ts';
import {
  callsPage,
  freshnessTable,
  hiddenOfCloudTable,
  hiddenOfHyperdxTable,
  permissionsTable,
  settingsTable,
} from './tables.ts';
import { treeOf } from './tree.ts';

const sdl = new Map(
  readdirSync(`${root}schema`)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => [name, read(`schema/${name}`)]),
);
const schema = createSchema();

/** The generated texts between `<!-- generated: name -->` and `<!-- end -->` on pages, by name. */
const blocks: Readonly<Record<string, string>> = {
  freshness: freshnessTable(),
  hiddenOfCloud: hiddenOfCloudTable(),
  hiddenOfHyperdx: hiddenOfHyperdxTable(),
  permissions: permissionsTable(),
  settings: settingsTable(),
  tree: treeOf(schema),
};

const filled = (path: string): string =>
  read(path).replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const block = blocks[name];
      if (block === undefined) throw new Error(`${path}: nothing generates ${name}`);
      return `${start}\n${block}\n${end}`;
    },
  );

const samples = Object.fromEntries(
  Object.entries(rows).map(([name, { variables }]) => [name, variables]),
);

const documents = documentsOf(schema, sdl);

/** The alert rules as an object of the Prometheus operator: kustomize cannot make it from Prometheus' own file. */
const prometheusRule =
  (): string => `# Generated from alerts.yaml: change that file, and run \`npm run generate\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sluice
  labels: { app.kubernetes.io/name: sluice, app.kubernetes.io/component: gateway }
spec:
${read('deploy/monitoring/alerts.yaml').replaceAll(/^(?=.)/gm, '  ')}`;

/** Every generated file but the indices, by its path; undefined for a file that should not exist. */
export const files = new Map<string, string | undefined>([
  ...globSync('operations/*.graphql', { cwd: root }).map((path) => [path, undefined] as const),
  ...[...documents].map(([name, text]) => [`operations/${name}`, text] as const),
  ['operations/variables.json', `${JSON.stringify(samples, null, 2)}\n`],
  ['client/src/policies.ts', policiesModule(schema)],
  ['schema.graphql', sdlOf(schema)],
  ['docs/upstream-calls.md', callsPage(rows)],
  ['deploy/monitoring/prometheus-rule.yaml', prometheusRule()],
  ['examples/postman/collection.json', postmanCollection(documents.values(), rows)],
  ...['docs/clients.md', 'docs/live-services.md', 'docs/operating.md'].map(
    (path) => [path, filled(path)] as const,
  ),
]);
