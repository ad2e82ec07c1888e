import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The rooms of `src/`, the uppermost first. Files that are no room, such as `log.ts`, are open to all. */
const rooms = [
  ...[
    'command',
    'gateway',
    'plugins',
    'agents',
    'rest',
    'metrics',
    'config',
    'resolvers',
    'request',
    'loaders',
  ],
  ...[
    'errors',
    'schema',
    'live',
    'redis',
    'upstream',
    'documents',
    'execution',
    'graphql',
    'graphiql',
  ],
];

/** Rooms that import none of the others but `graphql`, which imports none: each could be a package. */
const sealed = new Set(['agents', 'upstream', 'documents', 'execution', 'graphql', 'graphiql']);

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** The room that a path below `src/` is in; undefined for files in none, and for what codegen writes. */
const roomOf = (path: string): string | undefined => {
  const [room = ''] = path.split('/');
  return rooms.includes(room) ? room : undefined;
};

/** What a file imports, as paths below `src/`. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    relative(src, join(src, file, '..', path)),
  );

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

it.each(rooms)('%s imports only rooms below it', (room) => {
  const own = files.filter((file) => roomOf(file) === room);
  expect(own.length, 'a room that is gone').toBeGreaterThan(0);
  const isWrong = (path: string): boolean => {
    const other = roomOf(path);
    if (other === undefined || other === room) return false;
    return (sealed.has(room) && other !== 'graphql') || rooms.indexOf(other) < rooms.indexOf(room);
  };
  const wrong = own.flatMap((file) =>
    importsOf(file)
      .filter(isWrong)
      .map((path) => `src/${file} imports src/${path}`),
  );
  expect(wrong).toEqual([]);
});

it('every folder is a room', () => {
  const folders = files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]);
  expect([...new Set(folders)].sort()).toEqual([...rooms, 'generated'].sort());
});

/** What a call passes in `src/upstream/`, the uppermost first. The files that put these rooms together stand above them. */
const steps = ['fates', 'reads', 'polls', 'gate', 'sending'];
const above = [
  ...[
    'index',
    'client',
    'direct',
    'methods',
    'options',
    'profiles',
    'reach',
    'reachability',
    'request',
  ],
  ...['shared'],
].map((name) => `upstream/${name}.ts`);

/** The height of a file in `src/upstream/`: the lower the number, the higher it stands. */
const levelOf = (file: string): number => {
  if (above.includes(file)) return -1;
  const level = steps.indexOf(file.split('/')[1] ?? '');
  return level < 0 ? steps.length : level;
};

it('in upstream/ a file imports only files of its own room, or below it', () => {
  const wrong = files
    .filter((file) => file.startsWith('upstream/') && !above.includes(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((path) => path.startsWith('upstream/') && levelOf(path) < levelOf(file))
        .map((path) => `src/${file} imports src/${path}`),
    );
  expect(wrong).toEqual([]);
});

it('no file imports itself by way of others', () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const next of importsOf(file)) if (files.includes(next)) follow(next, [...way, file]);
      done.add(file);
    }
  };
  for (const file of files) follow(file, []);
  expect(circles).toEqual([]);
});
