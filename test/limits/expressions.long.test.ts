import { globSync, readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { sampleOf } from '../support/random/runs.ts';

/**
 * Callers and upstreams choose the text that these expressions are tried on. None may take more than
 * linear time for any text: one request would stop the process.
 */

interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

const root = new URL('../../src/', import.meta.url);

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Visits a node of a syntax tree and all below it. */
const visit = (node: unknown, enter: (node: Readonly<Record<string, unknown>>) => void): void => {
  if (Array.isArray(node)) for (const each of node) visit(each, enter);
  else if (isNode(node)) {
    enter(node);
    for (const member of Object.values(node)) visit(member, enter);
  }
};

/** The expressions of a program, and how many there are that only come to be while it runs. */
const expressionsIn = (file: string, source: string) => {
  const found: Expression[] = [];
  let made = 0;
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    const { type, regex, callee } = node;
    if (type === 'Literal' && isNode(regex)) {
      found.push({ file, pattern: String(regex.pattern), flags: String(regex.flags) });
    }
    if (isNode(callee) && callee.name === 'RegExp') made += 1;
  });
  return { found, made };
};

const files = globSync('**/*.ts', { cwd: root }).filter((file) => !file.startsWith('generated'));
const programs = files.map((file) =>
  expressionsIn(file, readFileSync(new URL(file, root), 'utf8')),
);
const expressions = programs.flatMap(({ found }) => found);

/** Without threads or other programs, with the same guesses each time, and counting characters instead of time. */
const check = ({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>) => {
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  return checkSync(pattern, flags, {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    randomSeed: 1,
  });
};

describe('every regular expression of the gateway takes linear time at most:', () => {
  it.each(sampleOf(expressions, 8))('$file /$pattern/$flags', (expression) => {
    expect(check(expression)).toMatchObject({ status: 'safe' });
  });
});

it('all are written down as literals, so that they can be checked', () => {
  expect(programs.map(({ made }) => made)).toEqual(files.map(() => 0));
  const places = new Set(expressions.map(({ file }) => file));
  const known = [
    'request/trace-context.ts',
    'errors/quoted-input.ts',
    'documents/literals.ts',
    'request/credentials.ts',
  ];
  expect([...places]).toEqual(expect.arrayContaining(known));
});

describe('the check finds', () => {
  it.each([
    ['an expression of exponential time', '^(a+)+$', ''],
    [
      'one list of members with blanks around',
      '^[a-z]=[ -+]+(?:[ \\t]*,[ \\t]*[a-z]=[ -+]+)*$',
      '',
    ],
    ['one that starts again at each place', ' Did you mean .*\\?$', 's'],
    ['strings that may not be closed', '"(?:\\\\.|[^"\\\\])*"', 'g'],
  ])('%s', (_, pattern, flags) => {
    expect(check({ pattern, flags }).status).toBe('vulnerable');
  });

  it('expressions in any program', () => {
    const source =
      'const f = (a: string): boolean => /x+/i.test(a) || new RegExp(a).test(a) || RegExp(a);';
    expect(expressionsIn('any.ts', source)).toEqual({
      found: [{ file: 'any.ts', pattern: 'x+', flags: 'i' }],
      made: 2,
    });
  });
});
