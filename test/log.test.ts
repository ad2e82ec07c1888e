import { describe, expect, it, vi } from 'vitest';
import {
  createInfoWriter,
  createLog,
  errorFacts,
  type LineMembers,
  membersText,
} from '../src/log.ts';

const rows: Readonly<Record<string, LineMembers>> = {
  nothing: {},
  'words and numbers': { requestId: 'r-1', milliseconds: 1.5, upstreamCalls: 0 },
  'a member without a value': { operationName: undefined, operationType: 'query' },
  lists: { codes: ['NOT_FOUND', undefined, 7], none: [] },
  'signs that JSON escapes': { operationName: '"\\\n\u2028\ud800é' },
};

it.each(Object.entries(rows))('writes %s as pino does', (_, members) => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  try {
    const lines: string[] = [];
    const log = createLog({ write: (line) => void lines.push(line) });
    for (const one of [log, log.child({ pid: 7, worker: '"1"' })]) {
      one.info(members, 'an "operation"');
      createInfoWriter(one, 'an "operation"')(membersText(members));
    }
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe(lines[0]);
    expect(lines[3]).toBe(lines[2]);
  } finally {
    vi.useRealTimers();
  }
});

it('is quiet where the level of the log is', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const write = createInfoWriter(log, 'operation');
  log.level = 'warn';
  write(membersText({ requestId: 'r-1' }));
  expect(lines).toEqual([]);
});

describe('of an error is logged', () => {
  it('its kind, and where it arose', () => {
    const { kind, at } = errorFacts(new RangeError('cnry'));
    expect(kind).toBe('RangeError');
    expect(at).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
  });

  it.each([
    ['a line of its message that looks like a place', 'bad\n    at cnry (cnry.ts:1:1)\nworse'],
    ['a message that is nothing but such a line', '\n  at cnry'],
    ['no message', ''],
  ])('nothing of %s', (_, message) => {
    expect(errorFacts(new Error(message)).at).toMatch(/^at (?!cnry).*log\.test\.ts:\d+:\d+\)?$/);
  });

  it('no place where its message has become another since', () => {
    const error = new Error('bad\n    at cnry');
    // The stack is put together when it is first asked for.
    expect(error.stack).toContain('cnry');
    error.message = 'better';
    expect(errorFacts(error)).toEqual({ kind: 'Error', at: undefined });
  });

  it('of what is no error its type', () => {
    expect(errorFacts('cnry')).toEqual({ kind: 'string', at: undefined });
  });
});
