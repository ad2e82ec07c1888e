import { groups } from '../src/config/settings.ts';
import { managementOperations } from '../src/upstream/management/operations.ts';
import { observabilityOperations } from '../src/upstream/observability/operations.ts';
import { clickstackCloud } from '../src/upstream/observability/profiles/clickstack-cloud.ts';
import type { AnyOperation } from '../src/upstream/operation.ts';
import { type Contract, readContract, valuesOf } from '../test/contracts/contract.ts';
import { clickhouseCloud, entriesOf, hiddenOfHyperdx } from '../test/contracts/left-out.ts';

/** The members of the rows in test/operations/table.ts that the tables use. */
type Rows = Readonly<
  Record<string, { readonly calls: readonly (readonly [line: string, ...rest: unknown[]])[] }>
>;

const upstream: readonly (readonly [string, AnyOperation])[] = Object.entries({
  ...managementOperations('command'),
  ...observabilityOperations,
});

const code = (text: string): string => `\`${text}\``;
const tableOf = (...lines: readonly (readonly string[])[]): string => {
  const [head = [], ...rest] = lines;
  return [head, head.map(() => '---'), ...rest]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
};

/** The upstream operation of a call `METHOD /path`, which ClickHouse Cloud may have at a path of its own. */
const operationOf = (call: string): AnyOperation => {
  const [line = ''] = call.split('?');
  const lines = [
    line,
    line.replace('/clickpipes', '/pipes'),
    line.replace(/\/v1\/.*\/clickstack/, '/api/v2'),
  ];
  const found = upstream.find(([, { method, path }]) => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return lines.some((each) => pattern.test(each));
  });
  if (!found) throw new Error(`src/upstream has no operation for ${call}`);
  return found[1];
};

/** `getBackupConfiguration` is a read of backup configurations. */
const kindOf = (name: string): string =>
  `${name
    .replace(/^(get|list)/, '')
    .replaceAll(/(?!^)[A-Z]/g, ' $&')
    .toLowerCase()
    .replace(/^api /, 'API ')
    .replace(/s$/, '')}s`;

/** For docs/clients.md: for how many seconds each kind of read is fresh. */
export const freshnessTable = (): string => {
  const kinds = Map.groupBy(
    upstream.filter(([, { freshSeconds }]) => freshSeconds !== undefined),
    ([, { freshSeconds = 0 }]) => freshSeconds,
  );
  return tableOf(
    ['What is read', 'Fresh for'],
    ...[...kinds]
      .sort(([a], [b]) => a - b)
      .map(([seconds, reads]) => [
        [...new Set(reads.map(([name]) => kindOf(name)))].sort().join(', '),
        `${seconds} s`,
      ]),
  );
};

/** For docs/operating.md: every setting. Words in place of a default value are not formatted as code. */
export const settingsTable = (): string =>
  tableOf(
    ['Variable', 'Default', 'Meaning'],
    ...groups.flatMap(([title, members]) => [
      [`**${title}**`, '', ''],
      ...members.map(({ name, fallback, about }) => [
        code(name),
        ['required', 'unset', 'none'].includes(fallback) ? fallback : code(fallback),
        about,
      ]),
    ]),
  );

/** For docs/live-services.md: the permissions that a key of ClickHouse Cloud needs, without their common start. */
export const permissionsTable = (): string => {
  const start = 'control-plane:';
  const { permissionOf = () => undefined } = clickstackCloud;
  const all = [
    ...Object.entries(managementOperations('command')).map(([name, { permission }]) => ({
      ...{ name, permission },
    })),
    ...Object.entries(observabilityOperations).map(([name, operation]) => ({
      ...{ name, permission: permissionOf(operation) },
    })),
  ];
  const kinds = [...Map.groupBy(all, ({ permission }) => permission)];
  return tableOf(
    [`Permission, after ${code(start)}`, 'Operations'],
    ...kinds
      .map(([permission, those]): readonly [string, string] => [
        permission === undefined ? 'none is documented' : code(permission.replace(start, '')),
        those.map(({ name }) => code(name)).join(', '),
      ])
      .sort(([one], [other]) => one.localeCompare(other)),
  );
};

/** Members, those of one object together: `a`, `b`; of `object` `c`, `d`. Objects with the same members are, too. */
const listed = (paths: readonly string[]): string => {
  const objects = Map.groupBy([...new Set(paths)], (path) => path.replace(/\.?[^.]*$/, ''));
  const namesOf = (members: readonly string[]): string =>
    members.map((path) => code(path.replace(/^.*\./, ''))).join(', ');
  const equal = Map.groupBy(objects.keys(), (object) => namesOf(objects.get(object) ?? []));
  return [...equal]
    .map(([names, [first = '', ...others]]) =>
      first === '' ? names : `of ${[first, ...others].map(code).join(', ')} ${names}`,
    )
    .join('; ');
};

/** For docs/live-services.md: what ClickHouse Cloud answers and the schema does not show. */
export const hiddenOfCloudTable = (): string => {
  const types = Map.groupBy(Object.values(clickhouseCloud.answers), ([type]) => type);
  const rows = [...types].flatMap(([type, known]) => {
    const paths = known.flatMap(([, left]) => entriesOf(left));
    return paths.length === 0 ? [] : [[code(type), listed(paths)]];
  });
  return tableOf(['Object', 'Not shown'], ...rows.sort(([a = ''], [b = '']) => a.localeCompare(b)));
};

/** The members of an object that are not shown, or, if these are most, those that are. */
const hiddenOf = (contract: Contract, schema: string, left: readonly string[]): string => {
  const all = new Set(valuesOf(contract, schema).flatMap((value) => Object.keys(Object(value))));
  const shown = [...all].filter((name) => !left.includes(name));
  const isOfParts = left.some((path) => path.includes('.'));
  return !isOfParts && shown.length < left.length ? `all but ${listed(shown)}` : listed(left);
};

/** For docs/live-services.md: what HyperDX answers and the schema does not show. */
export const hiddenOfHyperdxTable = (): string => {
  const contract = readContract('clickstack');
  return tableOf(
    ['Record', 'HyperDX 2.13', 'HyperDX 2.30 and newer'],
    ...hiddenOfHyperdx.map(({ record, schema, earlier, later }) => [
      ...[record, listed(entriesOf(earlier)), hiddenOf(contract, schema, entriesOf(later))],
    ]),
  );
};

/** docs/upstream-calls.md: the operations that make several calls. */
export const callsPage = (rows: Rows): string => {
  const several = Object.entries(rows).filter(
    ([name, { calls }]) => calls.length > 1 && !name.startsWith('Live'),
  );
  const lines = several.map(([name, { calls }]) => {
    const kinds = Map.groupBy(
      calls.map(([line]) => operationOf(line)),
      ({ method, path }) => (method === 'GET' ? path : `${method} ${path}`),
    );
    const cell = [...kinds].map(
      ([kind, { length }]) => code(kind) + (length > 1 ? ` × ${length}` : ''),
    );
    return { name, cell: cell.join('<br>') };
  });
  const equal = [...Map.groupBy(lines, ({ cell }) => cell)];
  return `# Upstream calls

The [operations](../operations/README.md) that make several calls in the demo, with nothing in memory. \`Gateway\` makes none, all others one, with which
subscriptions begin. A path without a method is read.

${tableOf(['Operations', 'Calls'], ...equal.map(([cell, same]) => [same.map(({ name }) => name).join(', '), cell]))}
`;
};
