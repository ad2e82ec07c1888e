import { describe, expect, it } from 'vitest';
import { failed } from '../../src/upstream/call.ts';
import { createCache } from '../../src/upstream/reads/cache.ts';
import { createMemory } from '../../src/upstream/reads/memory.ts';
import type { Look, SharedMemory } from '../../src/upstream/reads/shared-memory.ts';
import { createHeldSend, readOf, settled, writeOf } from '../support/upstream/calls.ts';

const marks = 'era mark';
const nothing: Look = { marks, isUncertain: false, found: undefined, reader: 'this' };

/** What another process has read a moment ago. */
const found = (): Look => ({
  ...nothing,
  reader: undefined,
  found: {
    ...{ body: Buffer.from('{"data":[]}'), contentType: 'application/json', marks },
    ...{ sentAt: performance.now() - 10, readAt: performance.now() - 5 },
  },
});

/** A cache whose replicas answer as the test says, and are told at once. */
const start = () => {
  const looks: ((look: Look | undefined) => void)[] = [];
  const told: string[] = [];
  let untilTold = Promise.resolve();
  const shared: SharedMemory = {
    look: () => new Promise((resolve) => looks.push(resolve)),
    keep: () => undefined,
    release: () => undefined,
    tell: ({ paths }) => {
      told.push(paths.map(({ path }) => path).join(' '));
      return untilTold;
    },
  };
  const memory = createMemory({ maxBytes: 64 * 1024 * 1024, maxAgeMs: 60_000 });
  const { signal: closing } = new AbortController();
  const { step } = createCache({ memory, shared, closing });
  const upstream = createHeldSend();
  return {
    told,
    sent: upstream.sent,
    read: () => step(readOf(), upstream.send),
    write: () => step(writeOf(), upstream.send),
    /** Tells replicas from now on as soon as the promise is fulfilled. */
    tellAfter: (promise: Promise<void>) => {
      untilTold = promise;
    },
    /** Answers the look that was asked for longest ago. */
    see: async (look: Look | undefined) => {
      looks.shift()?.(look);
      await settled();
    },
  };
};

describe('what another process has read', () => {
  it('answers a read without a call, and the next one while replicas are out of reach', async () => {
    const { read, see, sent } = start();
    const first = read();
    await see(found());
    expect((await first).body.toString()).toBe('{"data":[]}');
    const second = read();
    await see(undefined);
    expect((await second).body.toString()).toBe('{"data":[]}');
    expect(sent).toHaveLength(0);
  });

  it('is not taken where this process has written since it asked', async () => {
    const { read, write, see, sent } = start();
    const asking = read();
    const writing = write();
    await settled();
    sent[0]?.answer();
    await writing;
    await see(found());
    // Its own marks would say so as well, but they are out of reach now.
    const after = read();
    await see(undefined);
    expect(sent.map(({ call }) => call.row.name)).toEqual([
      'deleteDashboard',
      'listAlerts',
      'listAlerts',
    ]);
    for (const call of sent) call.answer();
    await Promise.all([asking, after]);
  });

  it('does not answer under other marks than those of now', async () => {
    const { read, see, sent } = start();
    const first = read();
    await see(found());
    await first;
    const second = read();
    await see({ ...nothing, marks: 'era another' });
    expect(sent).toHaveLength(1);
    sent[0]?.answer();
    await second;
  });

  it('is told to be changed before a write is sent, and before it is answered', async () => {
    const { write, told, sent } = start();
    const writing = write();
    expect(told).toEqual(['/api/v2/alerts']);
    expect(sent).toHaveLength(0);
    await settled();
    sent[0]?.answer();
    await writing;
    expect(told).toEqual(['/api/v2/alerts', '/api/v2/alerts']);
  });

  it.each([
    ['the end of a write', 'write'],
    ['the refusal of a credential', 'read'],
  ] as const)(
    'is told to be changed by %s, and who waits for it learns of it afterwards',
    async (_, kind) => {
      const { told, tellAfter, see, sent, ...asking } = start();
      const gate = Promise.withResolvers<void>();
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      const outcome = asking[kind]().then(end, end);
      await see(nothing);
      tellAfter(gate.promise);
      const before = told.length;
      if (kind === 'write') sent[0]?.answer();
      else sent[0]?.fail(failed(readOf(), { reason: 'status', status: 401 }));
      await settled();
      expect([told.length - before, isOver]).toEqual([1, false]);
      gate.resolve();
      await outcome;
    },
  );
});
