import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

// Measures the tests: makes small faults (mutants) in the sources and tells which ones the tests miss. Each mutant stands behind a
// switch, so the sources are written once. Run it in a copy of the repository, because it changes the sources:
// `npm run generate && npm run build -w client`, then `node bench/mutants.ts [mutants per room] [seed] [earlier results]`. With
// earlier results it makes the same faults again
// where the code still has the place. Results go to .mutants/results.jsonl. See test/mutants.md.
const [perRoom = '25', seed = '38', earlier] = process.argv.slice(2);
if (existsSync('.git')) throw new Error('Run this in a copy without .git: it changes the sources.');

/** Each room: its sources, and its own test folders. */
const rooms: readonly (readonly [files: string, tests: string])[] = [
  [
    'src/upstream/reads/*.ts src/upstream/polls/*.ts src/live/*.ts',
    'test/upstream/ test/memory/ test/live/ test/calls/',
  ],
  [
    'src/upstream/gate/*.ts src/upstream/sending/*.ts',
    'test/upstream/ test/pacing/ test/failures/',
  ],
  ['src/errors/*.ts', 'test/errors/ test/limits/'],
  ['src/documents/*.ts', 'test/documents/ test/defer/ test/limits/'],
  ['src/execution/*.ts src/graphql/*.ts', 'test/execution/'],
  [
    'src/upstream/decode.ts src/upstream/*/{rules,*-rules}.ts',
    'test/mutations/ test/profiles/ test/answers/ test/operations/',
  ],
];

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };
type Change = { kind: string; start: number; end: number; became: string };
type Mutant = Change & {
  id: number;
  room: number;
  file: string;
  line: number;
  was: string;
  before: string;
};
type Source = { file: string; text: string; changes: Change[] };

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

type Swaps = Readonly<Record<string, string>>;
const operators: Swaps = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '-': '+', '*': '/', '/': '*', '&&': '||', '||': '&&' },
};
const methods: Swaps = { some: 'every', every: 'some', min: 'max', max: 'min' };
/** Nodes that hold no expressions. */
const skipped = /^TS(?!As|Satisfies|NonNull)|^Import|^ExportAll/;

const changesOf = (node: Node, source: string): Change[] => {
  const { type, test, argument, left, right, operator, value, callee, body } = node;
  const found: Change[] = [];
  const textOf = ({ start, end }: Node): string => `(${source.slice(start, end)})`;
  const add = (kind: string, { start, end }: Node, became: string) =>
    found.push({ kind, start, end, became });
  if (isNode(test) && type !== 'SwitchCase') add('negated', test, `!${textOf(test)}`);
  const other = operators[String(operator)];
  if (other && isNode(left) && isNode(right))
    add('operator', node, `${textOf(left)} ${other} ${textOf(right)}`);
  if (operator === '??' && isNode(left) && type === 'LogicalExpression')
    add('operator', node, textOf(left));
  if (type === 'ExpressionStatement' || (type === 'IfStatement' && !node.alternate))
    add('dropped', node, '');
  if (type === 'ReturnStatement' && isNode(argument)) add('undefined', argument, 'undefined');
  if (type === 'ArrowFunctionExpression' && isNode(body) && body.type !== 'BlockStatement')
    add('undefined', body, 'undefined');
  if (type === 'Literal' && typeof value === 'number') add('number', node, String(value + 1));
  if (type === 'Literal' && typeof value === 'boolean') add('boolean', node, String(!value));
  if (type === 'Literal' && typeof value === 'string') add('string', node, value ? "''" : "'x'");
  if (isNode(callee) && isNode(callee.property)) {
    const { start, end } = callee.property;
    const name = source.slice(start, end);
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method)
      add('method', node, source.slice(node.start, start) + method + source.slice(end, node.end));
  }
  for (const child of Object.values(node).flat().filter(isNode)) {
    const isName = child === node.key || child === node.source;
    if (!isName && !skipped.test(child.type)) found.push(...changesOf(child, source));
  }
  return found;
};

// Mulberry32.
let state = Number(seed);
const random = (below: number): number => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
};

/** Part of a source with its mutants, outer ones first. */
const render = (source: string, from: number, to: number, mutants: readonly Mutant[]): string => {
  const [first, ...others] = mutants;
  if (!first) return source.slice(from, to);
  const { id, kind, start, end, became } = first;
  const inner = others.filter((other) => other.end <= end);
  const own = render(source, start, end, inner);
  const isOn = `isMutant(${id})`;
  const switched =
    kind === 'dropped' ? `{ if (!${isOn}) { ${own} } }` : `(${isOn} ? (${became}) : (${own}))`;
  const rest = render(source, end, to, others.slice(inner.length));
  return source.slice(from, start) + switched + rest;
};

const sourcesOf = (files: string): Source[] =>
  globSync(files.split(' '))
    .sort()
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      const tree = parseAst(text, { lang: 'ts' }, file) as unknown as Node;
      return { file, text, changes: changesOf(tree, text) };
    });

const mutantOf = (room: number, { file, text }: Source, change: Change): Mutant => ({
  ...change,
  id: 0,
  room,
  file,
  line: text.slice(0, change.start).split('\n').length,
  was: text.slice(change.start, change.end),
  before: text.slice(0, change.start).replaceAll(/\s+/g, ' ').slice(-60),
});

/** Files in turn. The kind is drawn before the place, because most possible changes are to strings. */
const draw = (room: number, sources: readonly Source[]): Mutant[] => {
  const pools = sources.map((source) => ({
    source,
    kinds: Object.values(Object.groupBy(source.changes, ({ kind }) => kind)),
  }));
  const drawn: Mutant[] = [];
  for (let at = 0; drawn.length < Number(perRoom) && at < 5000; at += 1) {
    const pool = pools[at % pools.length];
    const changes = pool?.kinds[random(pool.kinds.length || 1)] ?? [];
    const [change] = changes.splice(random(changes.length || 1), 1);
    if (pool && change) drawn.push(mutantOf(room, pool.source, change));
  }
  return drawn;
};

/** The same faults in the code of today: those whose text and what stands before it are still there. */
const findAgain = (room: number, sources: readonly Source[], known: readonly Mutant[]): Mutant[] =>
  known
    .filter((mutant) => mutant.room === room)
    .flatMap(({ was, became, before }) => {
      const alike = sources
        .flatMap((source) => source.changes.map((change) => mutantOf(room, source, change)))
        .filter((mutant) => mutant.was === was && mutant.became === became);
      const exact = alike.filter((mutant) => mutant.before.slice(-20) === before.slice(-20));
      return (exact.length > 0 ? exact : alike).slice(0, 1);
    });

const known: Mutant[] = earlier
  ? readFileSync(earlier, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
const drawn = rooms.map(([files], room) =>
  earlier ? findAgain(room, sourcesOf(files), known) : draw(room, sourcesOf(files)),
);
// A mutant of each room in turn, so that a run which is stopped has measured all rooms alike.
const longest = Math.max(...drawn.map(({ length }) => length));
const mutants = Array.from({ length: longest }, (_, at) =>
  drawn.flatMap((own) => own[at] ?? []),
).flat();
for (const [at, mutant] of mutants.entries()) mutant.id = at + 1;

const folder = '.mutants';
mkdirSync(folder, { recursive: true });
const turnOn = (id: number) =>
  writeFileSync(
    `${folder}/on.mjs`,
    `export const hits = new Set();
export const isMutant = (id) => { hits.add(id); return id === ${id}; };
`,
  );
turnOn(0);
writeFileSync(
  `${folder}/setup.ts`,
  `import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { hits } from './on.mjs';
let startedAt = 0;
const note = (file) => {
  appendFileSync('${folder}/reach.jsonl', JSON.stringify({ file, ids: [...hits], ms: Date.now() - startedAt }) + '\\n');
  hits.clear();
};
beforeAll(() => { note('*'); startedAt = Date.now(); });
afterAll(() => note(expect.getState().testPath));
`,
);
writeFileSync(
  `${folder}/vitest.config.ts`,
  `import { BaseSequencer } from 'vitest/node';
import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';
const order = (process.env.MUTANT_TESTS ?? '').split(' ');
class Quickest extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => order.findIndex((file) => moduleId.endsWith(file));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}
export default mergeConfig(base, {
  test: {
    sequence: { sequencer: Quickest },
    setupFiles: ['./${folder}/setup.ts'],
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
`,
);
for (const [file, own = []] of Object.entries(Object.groupBy(mutants, (mutant) => mutant.file))) {
  const source = readFileSync(file, 'utf8');
  own.sort((one, other) => one.start - other.start || other.end - one.end);
  const up = '../'.repeat(file.split('/').length - 1);
  const imported = `import { isMutant } from '${up}${folder}/on.mjs';\n`;
  writeFileSync(file, imported + render(source, 0, source.length, own));
}

/**
 * Runs test files in this order until one fails; returns the output if one does. The left out test parses the sources, which
 * have mutants in them.
 */
const failureOf = (tests: readonly string[], bail = 1): string | undefined => {
  const command = `run --config ${folder}/vitest.config.ts --project fast --project mocking --maxWorkers 1 --bail ${bail} --exclude test/limits/expressions.long.test.ts`;
  const { status, stdout, stderr } = spawnSync('vitest', [...command.split(' '), ...tests], {
    ...{ timeout: 1_800_000, killSignal: 'SIGKILL', encoding: 'utf8' },
    env: { ...process.env, MUTANT_TESTS: tests.join(' ') },
  });
  return status === 0 ? undefined : stdout + stderr;
};

const folders = [...new Set(rooms.flatMap(([, tests]) => tests.split(' ')))];
// What fails without any mutant, on a machine that is too busy, measures nothing.
const failing = failureOf(folders, 0) ?? '';
const excluded = new Set(
  [...failing.matchAll(/FAIL.*?(test\/\S+\.test\.ts)/g)].map(([, file]) => file),
);
process.stdout.write(
  `Not used, since they fail without any mutant: ${[...excluded].join(' ') || 'none'}\n`,
);
type Reach = { file: string; ids: number[]; ms: number };
const reach: Reach[] = readFileSync(`${folder}/reach.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map(({ file, ...rest }) => ({ file: file === '*' ? '*' : relative('.', file), ...rest }))
  .toSorted((one, other) => one.ms - other.ms);
const always = new Set(reach.filter(({ file }) => file === '*').flatMap(({ ids }) => ids));

for (const mutant of mutants) {
  const own = (rooms[mutant.room]?.[1] ?? '').split(' ');
  const tests = reach
    .filter(({ file }) => own.some((prefix) => file.startsWith(prefix)) && !excluded.has(file))
    .filter(({ ids }) => ids.includes(mutant.id) || always.has(mutant.id))
    .map(({ file }) => file);
  turnOn(mutant.id);
  let failure = tests.length > 0 ? failureOf(tests) : undefined;
  // On a busy machine a test may have had too little time: it fails again, or it does not count.
  if (failure && /timed out|timeout/i.test(failure)) failure = failureOf(tests);
  const by = failure && /FAIL.*?(test\/\S+)/.exec(failure)?.[1];
  const verdict = failure ? 'caught' : tests.length > 0 ? 'survived' : 'not reached';
  appendFileSync(`${folder}/results.jsonl`, `${JSON.stringify({ ...mutant, verdict, by })}\n`);
}
