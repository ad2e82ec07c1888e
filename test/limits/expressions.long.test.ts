import { globSync, readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { sampleOf } from '../support/random/runs.ts';

/**
 * Callers and upstreams choose the text that these expressions are tried on. None may take more than
 * linear time for any text: one request would stop the process.
 */

const root = new URL('../../src/', import.meta.url);

/** The expressions of a program, and how many there are that only come to be while it runs. */
const expressionsIn = (file: string, source: string) => {
  const found: { file: string; pattern: string; flags: string }[] = [];
  let made = 0;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, callee } = node as {
      readonly type?: unknown;
      readonly regex?: { readonly pattern: string; readonly flags: string };
      readonly callee?: { readonly name?: unknown } | null;
    };
    if (type === 'Literal' && regex) found.push({ file, ...regex });
    if (callee?.name === 'RegExp') made += 1;
    for (const member of Object.values(node)) visit(member);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return { found, made };
};

const files = globSync('**/*.ts', { cwd: root }).filter((file) => !file.startsWith('generated'));
const programs = files.map((file) =>
  expressionsIn(file, readFileSync(new URL(file, root), 'utf8')),
);
const expressions = programs.flatMap(({ found }) => found);

/** Without threads or other programs, with the same guesses each time, and counting characters instead of time. */
const statusOf = (pattern: string, flags: string): string => {
  process.env.RECHECK_SYNC_BACKEND = 'pure';
  const bounds = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };
  return checkSync(pattern, flags, bounds).status;
};

it.each(sampleOf(expressions, 8))('$file: /$pattern/$flags takes linear time', (expression) => {
  expect(statusOf(expression.pattern, expression.flags)).toBe('safe');
});

it('all are written down as literals, so that they can be checked', () => {
  expect(programs.map(({ made }) => made)).toEqual(files.map(() => 0));
  const known = ['errors/quoted-input.ts', 'documents/literals.ts', 'request/credentials.ts'];
  expect(expressions.map(({ file }) => file)).toEqual(expect.arrayContaining(known));
});
