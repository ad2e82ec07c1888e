import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

// Measures the tests: makes small faults (mutants) in the sources and tells which ones the tests miss. Run it in a copy of the repository,
// because it changes the sources: `node bench/mutants.ts [mutants per room] [seed]`. Each mutant stands behind a switch, so the
// sources are written and transformed only once. See test/mutants.md.
const [perRoom = '25', seed = '38'] = process.argv.slice(2);
if (existsSync('.git')) throw new Error('Run this in a copy without .git: it changes the sources.');

/** Each room: its sources, and its own test folders. */
const rooms: readonly (readonly [files: string, tests: string])[] = [
  [
    'src/upstream/call/{cache,forgetting,kept-reads,readings,share,once,changes,uncertain}.ts src/upstream/memory.ts src/live/{watches,watched-read,schedule}.ts',
    'test/upstream/ test/memory/ test/live/',
  ],
  [
    'src/upstream/call/{pace,connection,claim,budget,breaker}.ts src/upstream/{claims,turns,budget,breaker,pacing,slots}.ts',
    'test/upstream/ test/pacing/ test/failures/',
  ],
  ['src/errors/*.ts', 'test/errors/'],
  ['src/documents/*.ts', 'test/documents/ test/defer/ test/limits/'],
  ['src/execution/*.ts', 'test/execution/'],
  [
    'src/upstream/decode.ts src/upstream/*/{rules,*-rules}.ts',
    'test/mutations/ test/profiles/ test/answers/ test/operations/',
  ],
];

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };
type Change = { kind: string; start: number; end: number; became: string };
type Mutant = Change & { id: number; file: string; line: number; tests: string };

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

type Swaps = Readonly<Record<string, string>>;
const operators: Swaps = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '-': '+', '*': '/', '/': '*', '&&': '||', '||': '&&' },
};
const methods: Swaps = { some: 'every', every: 'some', min: 'max', max: 'min' };
/** Nodes that contain no expressions. */
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
    const method = methods[source.slice(start, end)];
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

/** A part of a source with its mutants, outer ones first. */
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

const mutants: Mutant[] = [];
for (const [files, tests] of rooms) {
  const sources = globSync(files.split(' '))
    .sort()
    .map((file) => {
      const source = readFileSync(file, 'utf8');
      const changes = changesOf(parseAst(source, { lang: 'ts' }, file) as unknown as Node, source);
      return { file, source, kinds: Object.values(Object.groupBy(changes, ({ kind }) => kind)) };
    });
  const most = mutants.length + Number(perRoom);
  // Takes the files in turn. The kind is drawn before the place, because most possible changes are to strings.
  for (let at = 0; mutants.length < most && at < 5000; at += 1) {
    const { file, source, kinds } = sources[at % sources.length] ?? { file: '', source: '' };
    const changes = kinds?.[random(kinds.length || 1)] ?? [];
    const [change] = changes.splice(random(changes.length || 1), 1);
    if (!change) continue;
    const line = source.slice(0, change.start).split('\n').length;
    mutants.push({ ...change, id: mutants.length + 1, file, line, tests });
  }
}

mkdirSync('.mutants', { recursive: true });
const turnOn = (id: number) =>
  writeFileSync('.mutants/on.mjs', `export const isMutant = (id) => id === ${id};\n`);
turnOn(0);
const sources = new Map<string, string>();
for (const [file, own = []] of Object.entries(Object.groupBy(mutants, (mutant) => mutant.file))) {
  const source = readFileSync(file, 'utf8');
  sources.set(file, source);
  own.sort((one, other) => one.start - other.start || other.end - one.end);
  const up = '../'.repeat(file.split('/').length - 1);
  const imported = `import { isMutant } from '${up}.mutants/on.mjs';\n`;
  writeFileSync(file, imported + render(source, 0, source.length, own));
}

const passes = (...tests: readonly string[]): boolean => {
  const command = 'run --project fast --project mocking --maxWorkers 1 --bail 1'.split(' ');
  const ending = { timeout: 1_800_000, killSignal: 'SIGKILL' } as const;
  return spawnSync('vitest', [...command, ...tests], ending).status === 0;
};
if (!passes()) throw new Error('Some test fails without any mutant.');
for (const { id, file, line, start, end, became, tests } of mutants) {
  turnOn(id);
  let verdict = 'survived';
  if (!passes(...tests.split(' '))) verdict = 'caught by its own tests';
  else if (!passes()) verdict = 'caught elsewhere';
  const was = sources.get(file)?.slice(start, end);
  process.stdout.write(`${id} ${file}:${line} ${verdict}\n  was ${was}\n  became ${became}\n`);
}
