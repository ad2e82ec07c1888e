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
