import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemory, type Kept, type Memory } from '../../src/upstream/reads/memory.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';

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
  path: '/path',
  sentAt: 0,
  readAt: 0,
  mayBeStale: true,
  ...changes,
});
const create = (maxBytes = 64 * mebibyte): Memory => createMemory({ maxBytes, maxAgeMs });

const memoryInUse = (): NodeJS.MemoryUsage => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The second time waits for the first one's sweepers.
  collect();
  collect();
  return process.memoryUsage();
};
/** The bytes of all buffers that something still holds. */
const heldBytes = (): number => memoryInUse().arrayBuffers;

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

describe('the bound in bytes', () => {
  const eighth = mebibyte;

  it('holds for all together', () => {
    const memory = create(8 * mebibyte);
    const before = heldBytes();
    for (let index = 0; index < 200; index += 1) {
      memory.keep(`holder ${index}`, 'a', kept(Buffer.alloc(200_000)));
    }
    const held = heldBytes() - before;
    expect(held).toBeGreaterThan(4 * mebibyte);
    // The last body that came may be held by others.
    expect(held).toBeLessThan(9 * mebibyte);
    expect(memory.find('holder 0', 'a')).toBeUndefined();
    expect(memory.find('holder 199', 'a')?.body).toHaveLength(200_000);
  });

  it('counts what keeping costs beside the body: many small ones do not take several times as much', () => {
    const memory = create(16 * mebibyte);
    const inUse = () => {
      const { heapUsed, arrayBuffers } = memoryInUse();
      return heapUsed + arrayBuffers;
    };
    const before = inUse();
    const path = '/v1/organizations/0a9a0000-0000-4000-8000-00000000000a/services/'.repeat(2);
    for (let index = 0; index < 30_000; index += 1) {
      memory.keep(`holder ${index}`.padEnd(43), `${path}${index}`, kept('{"data":[]}'));
    }
    expect(inUse() - before).toBeLessThan(24 * mebibyte);
    expect(bodyOf(memory, 'holder 29999'.padEnd(43), `${path}29999`)).toBe('{"data":[]}');
  });

  it('allows one holder an eighth, of which the oldest goes first, and costs no other anything', () => {
    const memory = create(8 * eighth);
    memory.keep('other', 'a', kept('of the other'));
    const names = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const name of names) {
      memory.keep('one', name, kept(Buffer.alloc(100_000)));
      // Who asks for it does not make it younger.
      memory.find('one', '0');
    }
    const left = names.filter((name) => memory.find('one', name));
    expect(left).toEqual(names.slice(-left.length));
    expect(left.length * 100_000).toBeGreaterThan(eighth * 0.8);
    expect(left.length * 100_000).toBeLessThanOrEqual(eighth);
    expect(bodyOf(memory, 'other', 'a')).toBe('of the other');
  });

  it('counts what takes the place of another once', () => {
    const memory = create(8 * eighth);
    memory.keep('one', 'first', kept('first'));
    for (let index = 0; index < 50; index += 1) {
      memory.keep('one', 'again', kept(Buffer.alloc(500_000)));
    }
    expect(bodyOf(memory, 'one', 'first')).toBe('first');
    memory.forget([{ name: 'again', isWhole: true }], 'one');
    memory.keep('one', 'large', kept(Buffer.alloc(900_000)));
    expect(bodyOf(memory, 'one', 'first')).toBe('first');
  });

  it('leaves a body above 4 MB, or above an eighth, unkept, and the one before it is gone', () => {
    const memory = create(64 * mebibyte);
    memory.keep('one', 'a', kept(Buffer.alloc(4 * mebibyte)));
    expect(memory.find('one', 'a')?.body).toHaveLength(4 * mebibyte);
    memory.keep('one', 'a', kept(Buffer.alloc(4 * mebibyte + 1)));
    expect(memory.find('one', 'a')).toBeUndefined();
    const small = create(8 * eighth);
    small.keep('one', 'a', kept(Buffer.alloc(eighth)));
    expect(small.find('one', 'a')).toBeUndefined();
  });
});

describe('to forget', () => {
  const names = ['x /a', 'x /a/1', 'x /a/2', 'x /ab', 'y /a'];
  const holders = ['one', 'two'];
  const createFull = () => {
    const memory = create();
    for (const holder of holders) {
      for (const name of names) memory.keep(holder, name, kept(name));
    }
    const left = (): readonly string[] =>
      holders.flatMap((holder) =>
        names.filter((name) => memory.find(holder, name)).map((name) => `${holder} ${name}`),
      );
    return { memory, left };
  };
  const all = holders.flatMap((holder) => names.map((name) => `${holder} ${name}`));

  it.each([
    ['a whole name of one', 'x /a', true, 'one', ['one x /a']],
    ['a whole name of all', 'x /a', true, undefined, ['one x /a', 'two x /a']],
    ['the start of names of one', 'x /a/', false, 'two', ['two x /a/1', 'two x /a/2']],
    [
      'the start of names of all',
      'x /a/',
      false,
      undefined,
      ['one x /a/1', 'one x /a/2', 'two x /a/1', 'two x /a/2'],
    ],
    ['an upstream of one', 'x ', false, 'one', names.slice(0, 4).map((name) => `one ${name}`)],
    ['what nobody has', 'x /none', true, undefined, []],
    ['what nobody has by its start', 'z', false, 'one', []],
  ])('%s forgets it, and nothing else', (_, name, isWhole, holder, gone) => {
    const { memory, left } = createFull();
    memory.forget([{ name, isWhole }], holder);
    expect(left()).toEqual(all.filter((each) => !gone.includes(each)));
  });

  it('is possible for what is kept anew', () => {
    const { memory, left } = createFull();
    memory.forget([{ name: 'x /a', isWhole: true }]);
    memory.keep('one', 'x /a', kept('new'));
    expect(left()).toEqual(all.filter((each) => each !== 'two x /a'));
    memory.forget([{ name: 'x /', isWhole: false }]);
    expect(left()).toEqual(['one y /a', 'two y /a']);
  });
});

it('what is not to be shown stale stays, and says so, for everybody', () => {
  const memory = create();
  for (const holder of ['one', 'two']) {
    for (const name of ['x /a', 'x /a/1', 'x /b']) memory.keep(holder, name, kept(name));
  }
  memory.forbidStale([
    { name: 'x /a', isWhole: true },
    { name: 'x /a/', isWhole: false },
    { name: 'x /none', isWhole: true },
  ]);
  for (const holder of ['one', 'two']) {
    expect(memory.find(holder, 'x /a')?.mayBeStale).toBe(false);
    expect(memory.find(holder, 'x /a/1')?.mayBeStale).toBe(false);
    expect(memory.find(holder, 'x /b')?.mayBeStale).toBe(true);
    expect(bodyOf(memory, holder, 'x /a')).toBe('x /a');
  }
});
