import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createLogOutput } from '../src/log-output.ts';
import { answered, listen, run, sendAlerts } from './run-main.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Takes what it has room for, as a file descriptor does that does not block. */
const createDevice = () => {
  const device = {
    text: '',
    calls: 0,
    room: Number.POSITIVE_INFINITY,
    code: 'EAGAIN',
    write: (bytes: Uint8Array): number => {
      device.calls += 1;
      const taken = Math.min(bytes.length, device.room);
      if (taken === 0) throw failure(device.code);
      device.room -= taken;
      device.text += Buffer.from(bytes).toString('latin1', 0, taken);
      return taken;
    },
  };
  return device;
};

const kept = 16 * 1024 * 1024;
const line = `${'x'.repeat(1023)}\n`;

describe('the output of the log', () => {
  it('writes many lines at a time, and what there is soon', () => {
    vi.useFakeTimers();
    try {
      const device = createDevice();
      const output = createLogOutput(device.write);
      for (let count = 0; count < 64; count += 1) output.write(line);
      expect(device).toMatchObject({ calls: 1, text: line.repeat(64) });
      output.write('last\n');
      expect(device.calls).toBe(1);
      vi.advanceTimersByTime(200);
      expect(device).toMatchObject({ calls: 2, text: `${line.repeat(64)}last\n` });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['EAGAIN', 'ENOSPC', 'EIO'])('loses nothing to %s that passes', (code) => {
    vi.useFakeTimers();
    try {
      const device = Object.assign(createDevice(), { code, room: 10 });
      const output = createLogOutput(device.write);
      for (let count = 0; count < 200; count += 1) output.write(line);
      expect(device).toMatchObject({ calls: 2, text: 'x'.repeat(10) });
      vi.advanceTimersByTime(1000);
      expect(device.text).toBe('x'.repeat(10));
      device.room = Number.POSITIVE_INFINITY;
      vi.advanceTimersByTime(200);
      expect(device.text).toBe(line.repeat(200));
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps so much for who does not read, and says afterwards how many lines were lost', () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    try {
      const device = Object.assign(createDevice(), { room: 0 });
      const output = createLogOutput(device.write);
      const fitting = kept / line.length;
      for (let count = 0; count < fitting + 5; count += 1) output.write(line);
      device.room = Number.POSITIVE_INFINITY;
      vi.advanceTimersByTime(200);
      output.write('next\n');
      vi.advanceTimersByTime(200);
      expect(device.text.slice(0, kept)).toBe(line.repeat(fitting));
      expect(device.text.slice(kept)).toBe(
        '{"level":40,"time":1700000000005,"lines":5,"msg":"lines of the log were lost"}\nnext\n',
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it('writes nothing more once the reader has gone', () => {
    vi.useFakeTimers();
    try {
      const device = Object.assign(createDevice(), { room: 0, code: 'EPIPE' });
      const output = createLogOutput(device.write);
      output.write('lost\n');
      vi.advanceTimersByTime(200);
      device.room = Number.POSITIVE_INFINITY;
      output.write('lost too\n');
      vi.advanceTimersByTime(1000);
      output.end();
      expect(device).toMatchObject({ calls: 1, text: '' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits at the end for who reads slowly', () => {
    let calls = 0;
    const device = createDevice();
    const output = createLogOutput((bytes) => {
      calls += 1;
      // Nothing at first, and then byte by byte.
      device.room = calls < 3 ? 0 : 1;
      return device.write(bytes);
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
    vi.useFakeTimers();
    try {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
          const device = createDevice();
          const output = createLogOutput(device.write);
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
          device.room = Number.POSITIVE_INFINITY;
          output.end();
          expect(device.text).toBe(expected);
        }),
      );
    } finally {
      vi.useRealTimers();
    }
  });
});

describe.skipIf(process.platform === 'win32')('a gateway whose log is not taken', () => {
  const freePort = async (): Promise<number> => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    probe.close();
    await once(probe, 'close');
    if (address === null || typeof address === 'string') throw new Error('there is no free port');
    return address.port;
  };

  const start = async (command?: readonly [string, ...string[]]) => {
    const upstream = await listen(sendAlerts);
    const port = await freePort();
    const gateway = run(
      {
        PORT: String(port),
        MANAGEMENT_URL: upstream.url,
        OBSERVABILITY_URL: upstream.url,
        NODE_ENV: 'production',
      },
      command,
    );
    const url = `http://127.0.0.1:${port}`;
    const ask = async (): Promise<unknown> => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
        body: '{"query":"{ alerts { name } }"}',
      });
      return response.json();
    };
    // No line tells that it listens.
    const listens = async (): Promise<boolean> =>
      (await fetch(`${url}/healthz`).catch(() => undefined))?.ok ?? false;
    await expect.poll(listens).toBe(true);
    return { ...gateway, ask };
  };

  it('answers, and ends when told to, on a full disk', async () => {
    const gateway = await start([
      'sh',
      '-c',
      `exec "$0" src/main.ts > /dev/full`,
      process.execPath,
    ]);
    // More than one batch of lines.
    for (let count = 0; count < 500; count += 1) expect(await gateway.ask()).toEqual(answered);
    gateway.signalGroup('SIGTERM');
    expect(await gateway.ended).toEqual({ code: 0, signal: null, text: '', errors: '' });
  });

  it.each(['a reader who comes back', 'a reader who does not'])(
    'answers and ends with %s',
    async (reader) => {
      const gateway = await start();
      gateway.child.stdout.pause();
      const requests = 4000;
      for (let count = 0; count < requests; count += 50) {
        const all = await Promise.all(Array.from({ length: 50 }, gateway.ask));
        expect(all).toEqual(all.map(() => answered));
      }
      if (reader === 'a reader who comes back') {
        gateway.child.stdout.resume();
        await expect.poll(() => gateway.lines('operation').length).toBe(requests);
      }
      const exited = once(gateway.child, 'exit');
      gateway.signalGroup('SIGTERM');
      expect(await exited).toEqual([0, null]);
      gateway.child.stdout.resume();
      await gateway.ended;
    },
  );
});
