import { isEnumType, isScalarType, isSpecifiedScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { groups } from '../../src/config/settings.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { generated } from '../support/docs/code.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';

/** What stands for the absence of a value is no code. */
const shown = (fallback: string): string =>
  ['required', 'unset', 'none'].includes(fallback) ? fallback : `\`${fallback}\``;

describe('docs/operating.md', () => {
  it('has the table of settings (npx vitest run test/docs/tables.test.ts -u writes it)', async () => {
    const tables = groups.map(([title, members]) =>
      [
        `### ${title}\n`,
        '| Variable | Default | Meaning |',
        '|---|---|---|',
        ...members.map(
          ({ name, fallback, about }) => `| \`${name}\` | ${shown(fallback)} | ${about} |`,
        ),
      ].join('\n'),
    );
    const marks = /(<!-- settings -->\n)[\s\S]*(<!-- \/settings -->)/;
    const page = read('docs/operating.md').replace(marks, `$1${tables.join('\n\n')}\n$2`);
    await expect(page).toMatchFileSnapshot('../../docs/operating.md');
  });

  it('names every message of the log', () => {
    const gateway = [
      'gateway/server.ts',
      'gateway/http.ts',
      'gateway/tracing.ts',
      'gateway/yoga.ts',
    ];
    const sources = [...gateway, 'main.ts', 'process.ts'];
    const plugins = [
      'plugins/browser.ts',
      'plugins/errors.ts',
      'plugins/live.ts',
      'plugins/operation-log.ts',
    ];
    const code = [...sources, ...plugins].map((path) => read(`src/${path}`)).join('\n');
    const calls = code.match(/\blog\.(?:info|warn|error|fatal)\([\s\S]*?\);?\n/g) ?? [];
    const written = calls.flatMap((call) =>
      [...call.matchAll(/'([a-zA-Z][^']*)'/g)].map(([, text = '']) => text),
    );
    const rows = table(section('docs/operating.md', 'Log'), 'msg', 'When');
    const named = rows.flatMap(([cell = '']) => cell.replaceAll(/ ?`/g, '').split(/,(?=\w)/));
    expect(written.length).toBeGreaterThan(8);
    expect(named.map((name) => name.trim()).sort()).toEqual([...new Set(written)].sort());
  });
});

describe('docs/clients.md', () => {
  it('lists exactly the codes of top-level errors', () => {
    const [, union = ''] =
      read('src/errors/describe.ts').match(/^export type ErrorCode =([^;]*);/m) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes).toContain('NOT_FOUND');
    const rows = table(section('docs/clients.md', 'Errors'), 'Code', 'When');
    expect(firstCells(rows)).toEqual(codes.sort());
  });

  it('lists exactly the codes of userErrors', () => {
    const type = createSchema().getType('UserErrorCode');
    const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(codes).not.toEqual([]);
    const rows = table(section('docs/clients.md', 'Mutations'), 'Code', 'Meaning');
    expect(firstCells(rows)).toEqual(codes.sort());
  });

  it('maps every scalar that GraphQL itself does not have, and ID, in the settings of a generator', () => {
    const [{ text } = { text: '' }] = generated;
    const [, lines = ''] = text.match(/^ +scalars:\n((?: {8}\w+: \w+\n)+)/m) ?? [];
    const own = Object.values(createSchema().getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name);
    const mapped = [...lines.matchAll(/(\w+):/g)].map(([, name]) => name);
    expect(mapped.sort()).toEqual([...own, 'ID'].sort());
  });
});

describe('CONTRIBUTING.md', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  it('lists every script', () => {
    const rows = table(section('CONTRIBUTING.md', 'Scripts'), 'Script', 'Does');
    const named = firstCells(rows).map((cell) => cell.replace(/^npm (run )?/, ''));
    // npm runs scripts that begin with `pre` by itself.
    const own = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
    expect(own.filter((name) => !named.includes(name))).toEqual([]);
  });
});
