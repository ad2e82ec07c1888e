import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemory, type Kept, type Memory } from '../../src/upstream/memory.ts';
import { type Clock, startClock } from './clock.ts';

const mebibyte = 1024 * 1024;
const maxAgeMs = 60_000;

let clock: Clock;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.restore());

const kept = (body: Buffer | string, changes: Partial<Kept> = {}): Kept => ({
  body: Buffer.from(body),
  contentType: 'application/json',
  spelling: 'spelling',
  sentAt: 0,
  readAt: 0,
  mayBeStale: true,
  ...changes,
});
const create = (maxBytes = 64 * mebibyte): Memory => createMemory({ maxBytes, maxAgeMs });

/** The bytes of all buffers that something still holds. */
const heldBytes = (): number => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The second time waits for the first one's sweepers.
  collect();
  collect();
  return process.memoryUsage().arrayBuffers;
};

const bodyOf = (memory: Memory, holder: string, name: string): string | undefined =>
  memory.find(holder, name)?.body.toString();

describe('what is kept', () => {
  it('is found by its own holder and name alone, as the last one was', () => {
    const memory = create();
    memory.keep('one', 'a', kept('first'));
    memory.keep('one', 'a', kept('second'));
    memory.keep('two', 'a', kept('other'));
    expect(bodyOf(memory, 'one', 'a')).toBe('second');
    expect(bodyOf(memory, 'two', 'a')).toBe('other');
    expect(memory.find('one', 'b')).toBeUndefined();
    expect(memory.find('three', 'a')).toBeUndefined();
  });

  it('is a copy: whoever has the body that came cannot change it', () => {
    const memory = create();
    const entry = kept('body');
    memory.keep('one', 'a', entry);
    entry.body.fill('x');
    expect(bodyOf(memory, 'one', 'a')).toBe('body');
  });

  it('holds no more than the body of the buffer that it came in', () => {
    const memory = create();
    const before = heldBytes();
    for (let index = 0; index < 100; index += 1) {
      const arrived = Buffer.alloc(256 * 1024);
      memory.keep('one', `${index}`, kept('', { body: arrived.subarray(0, 100) }));
    }
    expect(heldBytes() - before).toBeLessThan(mebibyte);
    expect(memory.find('one', '99')?.body).toHaveLength(100);
  });

  it('is gone after its time, though nobody asks for it and the process is busy with others', async () => {
    const memory = create();
    const before = heldBytes();
    for (let index = 0; index < 50; index += 1) {
      memory.keep('one', `${index}`, kept(Buffer.alloc(100_000)));
      await clock.advance(1.3);
    }
    memory.keep('two', 'busy', kept('busy'));
    expect(heldBytes() - before).toBeGreaterThan(4_000_000);
    await clock.advance(maxAgeMs - 100);
    for (let look = 0; look < 500; look += 1) {
      memory.find('two', 'busy');
      await clock.advance(0.3);
    }
    expect(heldBytes() - before).toBeLessThan(1_000_000);
  });
});
