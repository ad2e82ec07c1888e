import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  byVersion,
  isBreaking,
  isPinned,
  mayBreak,
  untoldChanges,
} from '../support/schema-changes.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const changelog = read('CHANGELOG.md');
const folder = new URL('../../releases/', import.meta.url);
/** None before the first release. */
const files = existsSync(folder) ? readdirSync(folder) : [];
const releases = files.map((file) => file.replace(/\.graphql$/, '')).sort(byVersion);

/** Each release with the section of the changelog that came after it. */
const steps = releases.map((from, index) => ({ from, to: releases[index + 1] ?? 'Unreleased' }));

describe('releases', () => {
  it('are schemas named by version, up to the present one', () => {
    for (const file of files) expect(file).toMatch(/^\d+\.\d+\.\d+\.graphql$/);
    const { version } = JSON.parse(read('package.json'));
    expect([undefined, version]).toContain(releases.at(-1));
  });

  it('stand in the changelog with their dates, the newest first, below what is unreleased', () => {
    const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    const [first, ...dated] = headings;
    expect(first).toBe('[Unreleased]');
    expect(dated.map((heading) => heading.replace(/ - \d{4}-\d{2}-\d{2}$/, ''))).toEqual(
      releases.toReversed().map((release) => `[${release}]`),
    );
    for (const heading of dated) expect(heading).toMatch(/ - \d{4}-\d{2}-\d{2}$/);
  });

  it.each(releases)('%s has the schema that it had', (release) => {
    const sdl = read(`releases/${release}.graphql`);
    const pinned = isPinned(release, sdl, changelog);
    expect(pinned, `releases/${release}.graphql is not what CHANGELOG.md pins`).toBe(true);
    expect(isPinned(release, `${sdl}\n`, changelog)).toBe(false);
  });

  // A copy without its history has no tags to look at.
  it.runIf(existsSync(new URL('../../.git', import.meta.url)))('are not tagged unsaid', () => {
    const cwd = new URL('../..', import.meta.url);
    const tags = execFileSync('git', ['-c', 'safe.directory=*', 'tag', '--list', 'v*'], {
      cwd,
      encoding: 'utf8',
    });
    const denied = /the repository has no tags/.test(changelog);
    expect({ denied, tags }).toEqual({ denied, tags: denied ? '' : expect.anything() });
  });

  it.each(steps)('$from → $to: what can break clients is told', async ({ from, to }) => {
    const before = read(`releases/${from}.graphql`);
    const after = read(to === 'Unreleased' ? 'schema.graphql' : `releases/${to}.graphql`);
    expect(await untoldChanges(before, after, changelog, to)).toEqual([]);
    if (to === 'Unreleased' || mayBreak(from, to)) return;
    expect(
      await isBreaking(before, after),
      `${to} breaks clients of ${from}: number it higher`,
    ).toBe(false);
  });

  it.each([
    ['0.1.0', '0.1.1', false],
    ['0.9.0', '0.10.0', true],
    ['0.9.3', '1.0.0', true],
    ['1.9.0', '1.10.0', false],
    ['1.9.0', '2.0.0', true],
  ])('from %s to %s clients may break: %j', (from, to, allowed) => {
    expect(mayBreak(from, to)).toBe(allowed);
    expect([to, from].sort(byVersion)).toEqual([from, to]);
  });
});

const schema = `
  type Query {
    pipe(id: ID!): Pipe!
    pipes: [Pipe]
    source: Source
    node: Node
    scale(input: ScaleInput, pick: PickInput): Kind
  }
  interface Node { id: ID! }
  type Pipe implements Node { id: ID! name: String! state: String stateChangedAt: String old: ID @deprecated(reason: "gone") }
  type Kafka { topic: String }
  type Kinesis { stream: String }
  union Source = Kafka | Kinesis
  enum Kind { SMALL LARGE }
  input ScaleInput { replicas: Int = 1 kind: Kind }
  input PickInput { one: Int other: Int }
`;

/** The schema with one thing otherwise. */
const changed = (text: string, by: string): string => {
  if (!schema.includes(text)) throw new Error(`no ${text}`);
  return schema.replace(text, by);
};

const log = (unreleased: string, released = ''): string =>
  `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n\n## [0.1.0] - 2026-11-21\n\n${released}\n`;

const breaking = (name: string): string => `### Breaking\n\n- \`${name}\`: gone.`;

describe('a change of the schema', () => {
  it.each([
    ['a removed field', changed(' state: String', ''), 'Pipe.state'],
    ['a removed field of Query', changed('pipes: [Pipe]', ''), 'Query.pipes'],
    ['an output made nullable', changed('name: String!', 'name: String'), 'Pipe.name'],
    ['an output of another type', changed(' state: String', ' state: Kind'), 'Pipe.state'],
    ['a new required argument', changed('pipes: [', 'pipes(first: Int!): ['), 'Query.pipes.first'],
    ['a removed argument', changed('(id: ID!)', ''), 'Query.pipe.id'],
    ['a required input member', changed('kind: Kind', 'kind: Kind!'), 'ScaleInput.kind'],
    ['a new required member', changed('{ replicas', '{ id: ID! replicas'), 'ScaleInput.id'],
    ['a removed enum value', changed('SMALL LARGE', 'SMALL'), 'Kind.LARGE'],
    ['a removed member of a union', changed('Kafka | Kinesis', 'Kafka'), 'Source.Kinesis'],
    ['a lost interface', changed('Pipe implements Node', 'Pipe'), 'Pipe implements Node'],
    ['an input made @oneOf', changed('PickInput {', 'PickInput @oneOf {'), 'PickInput.@oneOf'],
    ['another root type', `${schema} schema { query: Kafka }`, 'schema'],
  ])('%s breaks clients unless told', async (_, after, name) => {
    const place = `“- \`${name}\`: ”, below “### Breaking” of “## [Unreleased]”`;
    expect(await untoldChanges(schema, after, log(''))).toEqual([expect.stringContaining(place)]);
    expect(await isBreaking(schema, after)).toBe(true);
    expect(await untoldChanges(schema, after, log(breaking(name)))).toEqual([]);
  });

  it.each([
    ['a new enum value', changed('LARGE }', 'LARGE HUGE }'), 'Kind.HUGE'],
    ['a new optional argument', changed('pipes: [', 'pipes(first: Int): ['), 'Query.pipes.first'],
    ['another default', changed('= 1', '= 2'), 'ScaleInput.replicas'],
    ['a new member of a union', changed('Kafka |', 'Kafka | Pipe |'), 'Source.Pipe'],
    [
      'a new interface',
      changed('Kafka {', 'Kafka implements Node { id: ID!'),
      'Kafka implements Node',
    ],
  ])('%s may break clients, and can be told as a change', async (_, after, name) => {
    const places = `“- \`${name}\`: ”, below “### Breaking” or “### Changed” or “### Added” of`;
    expect(await untoldChanges(schema, after, log(''))).toEqual([expect.stringContaining(places)]);
    expect(await isBreaking(schema, after)).toBe(false);
    for (const heading of ['Breaking', 'Changed', 'Added']) {
      const told = log(`### ${heading}\n\n- \`${name}\`: new.`);
      expect(await untoldChanges(schema, after, told)).toEqual([]);
    }
    expect(
      await untoldChanges(schema, after, log(`### Fixed\n\n- \`${name}\`: new.`)),
    ).toHaveLength(1);
  });

  it.each([
    ['a new field', changed('name: String!', 'name: String! owner: String')],
    ['a new type', `${schema} type Tile { id: ID! }  enum Size { S }`],
    ['a new optional input member', changed('kind: Kind', 'kind: Kind force: Boolean')],
    ['an output that is never null any more', changed(' state: String', ' state: String!')],
    ['a deprecation', changed(' state: String', ' state: String @deprecated(reason: "old")')],
    ['a deprecation of what is deprecated', changed('"gone"', '"gone, use the id"')],
    ['a description', changed('type Kafka', '"Topics." type Kafka')],
  ])('%s needs no word', async (_, after) => {
    expect(await untoldChanges(schema, after, log(''))).toEqual([]);
  });

  const without = changed(' state: String', '');

  it.each([
    ['under an older version only', log('', breaking('Pipe.state'))],
    ['as the beginning of another name only', log(breaking('Pipe.stateChangedAt'))],
    ['as the end of another name only', log(breaking('Old.Pipe.state'))],
    ['without backticks', log('### Breaking\n\n- Pipe.state: gone.')],
    ['in a comment', log(`<!-- ${breaking('Pipe.state')} -->`)],
    ['under another heading', log('### Changed\n\n- `Pipe.state`: gone.')],
    ['under a heading that begins alike', log('### Breaking soon\n\n- `Pipe.state`: gone.')],
    ['before the first heading', log('- `Pipe.state`: gone.')],
    ['in a sentence', log('### Breaking\n\n- `Pipe.state` is not affected.')],
    ['after the colon', log('### Breaking\n\n- `Pipe.name`: use `Pipe.state`: it is clearer.')],
    ['in the middle of an entry', log('### Breaking\n\n- Unlike `Pipe.state`: gone.')],
    ['with nothing after the colon', log('### Breaking\n\n- `Pipe.state`: \n')],
    ['nowhere, in an empty file', ''],
  ])('is not told when it stands %s', async (_, text) => {
    expect(await untoldChanges(schema, without, text)).toEqual([
      "Field 'state' was removed from object type 'Pipe', which breaks clients. Undo it in schema/, or " +
        'tell in CHANGELOG.md what clients have to do: in an entry that begins with ' +
        '“- `Pipe.state`: ”, below “### Breaking” of “## [Unreleased]”.',
    ]);
  });

  it('is told among others, in the section that is asked for', async () => {
    const both = changed(' state: String', '').replace('SMALL LARGE', 'SMALL');
    const lines =
      '### Breaking\n\n- `Kind.LARGE`: use SMALL.\n- `Pipe.state`: gone.\n\n### Fixed\n';
    expect(await untoldChanges(schema, both, log(lines))).toEqual([]);
    expect(await untoldChanges(schema, both, log('', lines), '0.1.0')).toEqual([]);
    const together = '### Breaking\n\n- `Kind.LARGE` and `Pipe.state`: gone.';
    expect(await untoldChanges(schema, both, log(together))).toEqual([]);
    expect(await untoldChanges(schema, both, log(together.replace(' and', ',')))).toEqual([]);
    expect(await untoldChanges(schema, both, log(lines), '0.1.0')).toHaveLength(2);
  });
});
