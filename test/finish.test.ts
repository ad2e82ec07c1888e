import { afterEach, expect, it, vi } from 'vitest';
import { createFinish } from '../src/finish.ts';
import { createLog } from '../src/log.ts';
import { createReceive } from '../src/request.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  [0, 0],
  [0.04, 0],
  [0.06, 0.1],
  [5, 5],
  [12.34, 12.3],
  [12.96, 13],
  [99.99, 100],
  [123_456.78, 123_456.8],
])('logs %d milliseconds as %d', (passed, logged) => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const options = {
    operationTimeoutMs: 1000,
    maxUpstreamCalls: 1,
    maxParallelCalls: 1,
    maxUpstreamBytes: 1,
    explain: false,
  };
  const incoming = createReceive(options)(() => null);
  now.mockReturnValue(1000 + passed);
  createFinish({ log })({ data: {} }, incoming);
  incoming.end();
  expect(JSON.parse(lines.join(''))).toMatchObject({
    milliseconds: logged,
    upstreamCalls: 0,
    codes: [],
  });
});
