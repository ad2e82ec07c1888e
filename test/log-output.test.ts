import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogOutput } from '../src/log-output.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Takes what it has room for, as a file descriptor does that does not block; a millisecond later, if not now. */
const createDevice = () => {
  const device = {
    text: '',
    calls: 0,
    /** Whether `write` is done at once too. */
    quick: false,
    underWay: false,
    room: Number.POSITIVE_INFINITY,
    code: 'EAGAIN',
    writeNow: (bytes: Uint8Array): number => {
      device.calls += 1;
      const taken = Math.min(bytes.length, device.room);
      if (taken === 0) throw failure(device.code);
      device.room -= taken;
      device.text += Buffer.from(bytes).toString('latin1', 0, taken);
      return taken;
    },
    write: (bytes: Uint8Array, done: (error: unknown, taken: number) => void): void => {
      let taken = 0;
      let error: unknown = null;
      try {
        taken = device.writeNow(bytes);
      } catch (thrown) {
        error = thrown;
      }
      if (device.quick) {
        done(error, taken);
        return;
      }
      device.underWay = true;
      setTimeout(() => {
        device.underWay = false;
        done(error, taken);
      }, 1);
    },
  };
  return device;
};

const kept = 16 * 1024 * 1024;
const line = `${'x'.repeat(1023)}\n`;

describe('the output of the log', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('writes many lines at a time, and what there is soon', () => {
    const device = createDevice();
    const output = createLogOutput(device);
    for (let count = 0; count < 64; count += 1) output.write(line);
    expect(device).toMatchObject({ calls: 1, text: line.repeat(64) });
    output.write('last\n');
    vi.advanceTimersByTime(100);
    expect(device.calls).toBe(1);
    vi.advanceTimersByTime(100);
    expect(device).toMatchObject({ calls: 2, text: `${line.repeat(64)}last\n` });
  });

  it('writes one batch after the other', () => {
    const device = createDevice();
    const output = createLogOutput(device);
    for (let count = 0; count < 128; count += 1) output.write(line);
    expect(device.calls).toBe(1);
    vi.advanceTimersByTime(1);
    expect(device).toMatchObject({ calls: 2, text: line.repeat(128) });
  });

  it('writes all that is taken at once, in however many pieces', () => {
    const pieces: Uint8Array[] = [];
    const output = createLogOutput({
      write: (bytes, done) => {
        pieces.push(bytes.subarray(0, 1));
        done(null, 1);
      },
      writeNow: () => 0,
    });
    for (let count = 0; count < 64; count += 1) output.write(line);
    // Others have their turn in between.
    expect(pieces.length).toBeLessThan(1000);
    vi.advanceTimersByTime(5000);
    expect(Buffer.concat(pieces).toString()).toBe(line.repeat(64));
  });

  it('makes whole batches of what waits, however long it waits', () => {
    const device = Object.assign(createDevice(), { room: 0 });
    const output = createLogOutput(device);
    for (let count = 0; count < 10; count += 1) {
      output.write('line\n');
      vi.advanceTimersByTime(200);
    }
    Object.assign(device, { room: Number.POSITIVE_INFINITY, calls: 0 });
    vi.advanceTimersByTime(400);
    expect(device).toMatchObject({ calls: 2, text: 'line\n'.repeat(10) });
  });

  it('writes UTF-8', () => {
    const device = createDevice();
    const output = createLogOutput(device);
    output.write('é漢😀\n');
    vi.advanceTimersByTime(200);
    expect(Buffer.from(device.text, 'latin1').toString()).toBe('é漢😀\n');
  });

  it.each([
    ['EAGAIN', 150],
    ['ENOSPC', 4],
    ['EIO', 4],
  ])('loses nothing to %s that passes, and tries again now and then', (code, calls) => {
    const device = Object.assign(createDevice(), { code, room: 10 });
    const output = createLogOutput(device);
    for (let count = 0; count < 200; count += 1) output.write(line);
    vi.advanceTimersByTime(5);
    expect(device).toMatchObject({ calls: 2, text: 'x'.repeat(10) });
    vi.advanceTimersByTime(900);
    expect(device.text).toBe('x'.repeat(10));
    expect(device.calls).toBeGreaterThan(calls / 2);
    expect(device.calls).toBeLessThan(calls * 2);
    device.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(300);
    expect(device.text).toBe(line.repeat(200));
  });

  it('keeps so much for who does not read, and then says how many lines were lost', () => {
    const device = Object.assign(createDevice(), { room: 0 });
    const output = createLogOutput(device);
    const fitting = kept / line.length;
    for (let count = 0; count < fitting + 5; count += 1) output.write(line);
    device.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1000);
    output.write('next\n');
    output.write('one more\n');
    vi.advanceTimersByTime(200);
    expect(device.text.slice(0, kept)).toBe(line.repeat(fitting));
    const [notice = '', ...others] = device.text.slice(kept).split('\n');
    expect(others).toEqual(['next', 'one more', '']);
    expect(JSON.parse(notice)).toEqual({
      level: 40,
      time: 1_700_000_000_200,
      pid: process.pid,
      lines: 5,
      msg: 'lines of the log were lost',
    });
  });

  it('says how many lines were lost as soon as it can, though no other comes', () => {
    const device = Object.assign(createDevice(), { room: 0 });
    const output = createLogOutput(device);
    for (let count = 0; count < kept / line.length + 5; count += 1) output.write(line);
    device.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1000);
    expect(device.text).toMatch(/"lines":5,"msg":"lines of the log were lost"}\n$/);
  });

  it('writes for a person line by line, and what is lost in the same form', () => {
    const device = Object.assign(createDevice(), { quick: true });
    const output = createLogOutput(device, (text) => text.toUpperCase());
    output.write('first\n');
    expect(device.text).toBe('FIRST\n');
    device.room = 0;
    for (let count = 0; count < kept / line.length + 5; count += 1) output.write(line);
    Object.assign(device, { room: Number.POSITIVE_INFINITY, text: '', calls: 0 });
    vi.advanceTimersByTime(1000);
    // What waits for long is no longer a batch for each line.
    expect(device.calls).toBeLessThan(300);
    expect(device.text).toMatch(/X\n{.*"LINES":4,"MSG":"LINES OF THE LOG WERE LOST"}\n$/);
  });

  it('does not wait at the end for a reader who has gone', () => {
    const device = Object.assign(createDevice(), { room: 0, code: 'EPIPE' });
    const output = createLogOutput(device);
    output.write('last\n');
    output.end();
    expect(device.calls).toBe(1);
  });

  it('says at the end too how many lines were lost', () => {
    const device = Object.assign(createDevice(), { room: 0 });
    const output = createLogOutput({
      ...device,
      write: () => undefined,
      writeNow: device.writeNow,
    });
    for (let count = 0; count < kept / line.length + 5; count += 1) output.write(line);
    device.room = Number.POSITIVE_INFINITY;
    output.end();
    expect(device.text).toMatch(/"lines":5,"msg":"lines of the log were lost"}\n$/);
  });

  it('writes nothing more once the reader has gone', () => {
    const device = Object.assign(createDevice(), { room: 0, code: 'EPIPE' });
    const output = createLogOutput(device);
    for (let count = 0; count < 200; count += 1) output.write(line);
    vi.advanceTimersByTime(1);
    device.room = Number.POSITIVE_INFINITY;
    output.write('lost too\n');
    vi.advanceTimersByTime(1000);
    output.end();
    expect(device).toMatchObject({ calls: 1, text: '' });
  });

  it('waits at the end for who reads slowly', () => {
    const device = createDevice();
    const output = createLogOutput({
      ...device,
      writeNow: (bytes) => {
        // Nothing at first, and then byte by byte.
        device.room = device.calls < 20 ? 0 : 1;
        return device.writeNow(bytes);
      },
    });
    output.write('last\n');
    output.end();
    expect(device.text).toBe('last\n');
  });

  it('gives each line once and in order, however much is taken at a time', () => {
    const step = fc.oneof(
      fc.record({ write: fc.string({ maxLength: 20, unit: fc.constantFrom('a', 'b', '"') }) }),
      fc.record({ room: fc.nat(30), code: fc.constantFrom('EAGAIN', 'ENOSPC') }),
      fc.record({ pass: fc.nat(300) }),
      fc.record({ many: fc.constant(line.repeat(64)) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        (steps, ...how) => {
          const [ends, quick] = how;
          const device = Object.assign(createDevice(), { quick });
          const output = createLogOutput(device);
          let expected = '';
          for (const each of steps) {
            if ('room' in each) Object.assign(device, each);
            else if ('pass' in each) vi.advanceTimersByTime(each.pass);
            else {
              const written = 'many' in each ? each.many : `${each.write}\n`;
              output.write(written);
              expected += written;
            }
            expect(expected.startsWith(device.text)).toBe(true);
          }
          // How much is taken of what is being written as the process ends, nobody can tell.
          device.room = 0;
          while (device.underWay) vi.advanceTimersByTime(1);
          device.room = Number.POSITIVE_INFINITY;
          if (ends) output.end();
          else vi.advanceTimersByTime(1000);
          // Not by toBe, which would print all of it.
          expect(device.text === expected).toBe(true);
        },
      ),
    );
  });
});
