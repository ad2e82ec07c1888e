import { createHash } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type Answering, data, json, result, type Stack, startStack } from '../harness.ts';
import { withIds } from '../world/ids.ts';
import { until } from './run-main.ts';

export const organizationId = withIds('organization-1');

/** Stands in every part of a request but its document's own names, and must never be logged. */
export const canary = 'cnry';
const basic = `Basic ${btoa(`${canary}-key:${canary}-secret`)}`;
const leaks = /cnry|Y25yeS1/i;

export let stack: Stack;

export const start = async (
  config: Partial<Config> = {},
  observability?: Answering,
): Promise<void> => {
  stack = await startStack({
    management: ({ method }) =>
      result(
        method === 'GET' || method === 'PATCH'
          ? { id: organizationId, name: `${canary}-organization` }
          : [],
      ),
    observability:
      observability ??
      (({ path }) =>
        path === '/api/v2/alerts'
          ? data([{ id: `${canary}-id`, name: `${canary}-alert` }])
          : json({ message: `${canary} is gone` }, 404)),
    config,
  });
  onTestFinished(() => stack.close());
};

export type LogLine = Readonly<Record<string, unknown>>;

const linesOf = (requestId: string): readonly LogLine[] =>
  stack
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LogLine => JSON.parse(line))
    .filter((line) => line.msg === 'operation' && line.requestId === requestId);

interface Sent {
  readonly params: unknown;
  readonly status?: number;
}

export type Way = (requestId: string, params: unknown) => Promise<{ status: number; text: string }>;

const headersOf = (requestId: string) => ({
  'management-authorization': basic,
  'observability-authorization': `Bearer ${canary}-token`,
  'x-request-id': requestId,
  cookie: `session=${canary}`,
  'x-forwarded-for': `${canary}.example`,
  'user-agent': `${canary}/1`,
  'x-anything': canary,
});

const post =
  (accept: string): Way =>
  async (requestId, params) => {
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: { ...headersOf(requestId), 'content-type': 'application/json', accept },
      body: typeof params === 'string' ? params : JSON.stringify(params),
    });
    return { status: response.status, text: await response.text() };
  };

export const get: Way = async (requestId, params) => {
  const url = new URL(stack.url);
  for (const [name, value] of Object.entries(params as object)) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const response = await fetch(url, { headers: headersOf(requestId) });
  return { status: response.status, text: await response.text() };
};

export const postWays = {
  json: post('application/json'),
  responseJson: post('application/graphql-response+json'),
} satisfies Readonly<Record<string, Way>>;
export const ways: Readonly<Record<string, Way>> = { ...postWays, GET: get };

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let sent = 0;

/** Sends it and gives the lines that are logged of it, once another request's line has followed. */
export const linesAfter = async (way: Way, params: Sent['params']): Promise<readonly LogLine[]> => {
  sent += 1;
  const requestId = `request-${sent}`;
  await way(requestId, params);
  const marker = `marker-${sent}`;
  await postWays.json(marker, { query: '{ __typename }' });
  await until(() => linesOf(marker).length > 0);
  expect(stack.log()).not.toMatch(leaks);
  return linesOf(requestId);
};

const always = ['level', 'time', 'msg', 'requestId', 'milliseconds', 'codes'];
const ofCalls = ['upstreamCalls', 'waitedMilliseconds', 'kept', 'callsLeft'];
const ofOperation = ['operationName', 'operationHash', 'operationType'];
const allowed = new Set([...always, ...ofCalls, ...ofOperation]);

/** What must stand in every line of an operation, and that nothing else does. */
export const expectForm = (line: LogLine | undefined): void => {
  expect(line).toMatchObject({
    level: 30,
    msg: 'operation',
    time: expect.any(Number),
    requestId: expect.stringMatching(/^request-\d+$/),
    milliseconds: expect.any(Number),
    upstreamCalls: expect.any(Number),
    waitedMilliseconds: expect.any(Number),
    kept: { fresh: expect.any(Number), stale: expect.any(Number) },
    callsLeft: { management: null, observability: null },
    codes: expect.any(Array),
  });
  expect(line?.milliseconds).toBeGreaterThanOrEqual(0);
  expect(Object.keys(line ?? {}).filter((name) => !allowed.has(name))).toEqual([]);
};

export interface Row {
  readonly params: {
    readonly query: string;
    readonly variables?: unknown;
    readonly operationName?: string;
  };
  /** The text whose hash is logged, where it is not the query as it came. */
  readonly hashed?: string;
  readonly name?: string;
  readonly type: string;
  readonly calls: number;
  readonly codes: readonly string[];
}
