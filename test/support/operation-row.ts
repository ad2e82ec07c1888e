import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answer, type Call, credentials, type Stack, startStack } from './harness.ts';

/** One operation of the document: what a caller sends, what leaves the gateway, what comes back. */
export interface OperationRow {
  readonly title: string;
  readonly document: string;
  readonly variables?: unknown;
  /** `METHOD /path` of a read that has to be made before the call. */
  readonly before?: string;
  /** `METHOD /path` of the one call. */
  readonly call: string;
  /** The call's body byte by byte; left out where there must be none. */
  readonly body?: string;
  readonly answer: Answer;
  /** The whole `data` of the gateway's answer. */
  readonly data: unknown;
}

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

type Line = readonly [name: string, value: unknown];

const byName = ([a]: Line, [b]: Line): number => a.localeCompare(b);

/** A call's header lines, names in lower case and in alphabetical order; repeats stay. */
const headerLines = ({ rawHeaders }: Call): readonly Line[] =>
  rawHeaders
    .flatMap((name, index): Line[] =>
      index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1]]] : [],
    )
    .sort(byName);

/** All that may go toward an upstream (docs/architecture.md), and undici's own two lines. */
const allowedLines = (
  upstream: Call['upstream'],
  requestId: string | null,
  body: string | undefined,
): readonly Line[] => {
  const lines: Line[] = [
    ['host', expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
    ['connection', 'keep-alive'],
    ['authorization', credentials[`${upstream}-authorization`]],
    ['accept', 'application/json'],
    ['user-agent', `sluice/${version}`],
    ['x-request-id', requestId],
  ];
  if (body !== undefined) {
    lines.push(
      ['content-type', 'application/json'],
      ['content-length', String(Buffer.byteLength(body))],
    );
  }
  return lines.sort(byName);
};

/** Expects that each call carries exactly what may go toward an upstream. */
export const expectHeaders = (calls: readonly Call[], answered: Headers): void => {
  const requestId = answered.get('x-request-id');
  expect(requestId).toMatch(/^[\w.-]+$/);
  for (const call of calls) {
    const body = call.body === '' ? undefined : call.body;
    expect(headerLines(call)).toEqual(allowedLines(call.upstream, requestId, body));
  }
};

/** One test a row, all on one stack whose other upstream must stay untouched. */
export const describeOperations = (
  title: string,
  upstream: Call['upstream'],
  rows: readonly OperationRow[],
  config: Partial<Config> = {},
): void => {
  describe(title, () => {
    let stack: Stack;
    let answer: Answer;
    beforeAll(async () => {
      stack = await startStack({ management: () => answer, observability: () => answer, config });
    });
    beforeEach(() => {
      stack.calls.length = 0;
    });
    afterAll(() => stack.close());

    it.each(rows)('$title', async (row) => {
      answer = row.answer;
      const { headers, body } = await stack.query(row.document, { variables: row.variables });
      const lines = stack.calls.map(({ method, path }) => `${method} ${path}`);
      expect(lines).toEqual(row.before === undefined ? [row.call] : [row.before, row.call]);
      const call = stack.calls.at(-1);
      if (call === undefined) throw new Error('no call');
      const requestId = headers.get('x-request-id');
      expect(requestId).toMatch(/^[\w.-]+$/);
      expect(call.upstream).toBe(upstream);
      expect(headerLines(call)).toEqual(allowedLines(upstream, requestId, row.body));
      expect(call.body).toBe(row.body ?? '');
      expect(body).toEqual({ data: row.data });
    });
  });
};
