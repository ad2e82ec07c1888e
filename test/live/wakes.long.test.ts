import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { Stream } from '../../src/live/stream.ts';
import { type Answer, failed, isWrite } from '../../src/upstream/call.ts';
import { UpstreamError } from '../../src/upstream/error.ts';
import { compilePath } from '../../src/upstream/path.ts';
import { isBackground } from '../../src/upstream/priority.ts';
import { createEntries } from '../../src/upstream/reads/entries.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import { createTable } from '../../src/upstream/reads/table.ts';
import { createYield } from '../../src/yield.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { answerOf, createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';

vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

let clock: Clock;
afterEach(() => clock.restore());

const paths = ['/api/v2/alerts', '/api/v2/dashboards'] as const;
type Path = (typeof paths)[number];

/** A call under way. The upstream may have looked when it arrived, or look when it answers. */
interface Held {
  answer(looked: 'early' | 'late'): void;
  /** After a 503 a write has certainly changed nothing, after a 500 nobody knows. */
  fail(status?: 500 | 503): void;
  /** Tells those who wait that it gets no slot in time; it goes on for those who still want it. */
  refuse(): void;
}

/** Streams whose events read both paths through the table. A write adds one to what its path says. */
const start = (keptBytes: number, watchedBytes: number) => {
  clock = startClock();
  const values = new Map<string, number>(paths.map((path) => [path, 0]));
  const currentOf = (path: string): number => values.get(path) ?? 0;
  const change = (path: string): void => void values.set(path, currentOf(path) + 1);
  const held = new Set<Held>();
  /** When the last write that may have changed a path was over, once its caller knows. */
  const changedAt = new Map<string, number>();
  /** When the last read was sent that has had this answer: an equal one stands for it. */
  const answered = new Map<string, number>();
  const sentFor = (path: string, body: string): number =>
    answered.get(`${path} ${body}`) ?? -Infinity;
  const faults: string[] = [];

  const send = (call: ReadCall): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sentAt = performance.now();
      call.onSent?.(sentAt);
      const early = currentOf(call.path);
      const one: Held = {
        answer: (looked) => {
          held.delete(one);
          if (isWrite(call)) change(call.path);
          const value = looked === 'early' ? early : currentOf(call.path);
          answered.set(`${call.path} ${value}`, Math.max(sentFor(call.path, `${value}`), sentAt));
          resolve({ ...answerOf(`${value}`), sentAt });
        },
        fail: (status = 503) => {
          held.delete(one);
          reject(failed(call, { reason: 'status', status }));
        },
        refuse: () => {
          for (const claim of call.claims?.list() ?? []) {
            if (isBackground(claim.priority)) continue;
            call.claims?.delete(claim);
            claim.want?.(performance.now());
            claim.refuse(failed(call, { reason: 'no-slot', retryAfterSeconds: 1 }));
          }
        },
      };
      held.add(one);
      call.signal.addEventListener('abort', () => one.fail(), { once: true });
    });

  const entries = createEntries({
    ...{ maxBytes: keptBytes, maxPinnedBytes: watchedBytes, maxAgeMs: 60_000 },
    onDrop: () => undefined,
  });
  const table = createTable({
    interfaces: ['management', 'observability'],
    ...{ entries, shared: undefined, joins: true, closing: new AbortController().signal },
    ...{ onFound: () => undefined, isProven: () => true, provenSince: () => 0 },
    ...{ rate: { calls: 100, windowMs: 60_000 }, maxStaleMs: 60_000, isUsable: () => true },
    polls: {
      leastMs: 3000,
      resultOf: (_, { body }) => String(body),
      poll: (call) => table.step(call, send),
    },
  });

  const untilTurn = createYield();
  /** The newest event of each stream that is open. */
  const events = new Map<Stream, unknown>();
  const follow = async (stream: Stream): Promise<void> => {
    for await (const { data } of stream) if (!stream.isOver) events.set(stream, data?.values);
  };
  const open = (): void => {
    const stream: Stream = new Stream({
      ...{ untilTurn, untilTaken: async () => undefined },
      onEnd: () => events.delete(stream),
      execute: async (watcher, signal) => {
        const caller = { ...createTestCaller(), watcher, signal };
        const before = new Map(changedAt);
        const reads = paths.map(async (path) => {
          const answer = await table.step(readOf(caller, { path }), send);
          if (sentFor(path, `${answer.body}`) <= (before.get(path) ?? -Infinity)) {
            faults.push(`event ${watcher.event} shows ${path} of before its last change`);
          }
          return answer;
        });
        const outcomes = await Promise.allSettled(reads);
        const isPassing = outcomes.some(({ status }) => status === 'rejected');
        const shown = outcomes.map((each) =>
          each.status === 'fulfilled' ? Number(each.value.body) : null,
        );
        return {
          ...{ result: { data: { values: shown } }, mark: String(shown) },
          ...{ isPassing, isFilling: caller.progress.now !== undefined },
        };
      },
    });
    events.set(stream, undefined);
    void follow(stream);
  };

  return {
    ...{ values, held, events, faults, change, open },
    leave: (index: number) => [...events.keys()][index]?.end('client left'),
    write: (path: Path): void => {
      const { row, ...call } = writeOf(undefined, { path });
      const write = { ...call, row: { ...row, changes: [compilePath(path)] } };
      let endedAt = -Infinity;
      const sent = (passed: ReadCall): Promise<Answer> =>
        send(passed).finally(() => {
          endedAt = performance.now();
        });
      const end = (error?: unknown): void => {
        const { status } = error instanceof UpstreamError ? error.failure : {};
        if (status !== 503) changedAt.set(path, endedAt);
      };
      table.step(write, sent).then(() => end(), end);
    },
    /** Answers all there is, and all that comes of it. */
    answerAll: async (): Promise<void> => {
      for (let turns = 0; turns < 3 || held.size > 0; turns += 1) {
        for (const one of held) one.answer('late');
        await settled();
      }
    },
  };
};

type World = ReturnType<typeof start>;
interface Command {
  readonly does: keyof typeof acts;
  readonly path: Path;
  readonly at: number;
  readonly looked: 'early' | 'late';
  readonly ms: number;
}
const heldAt = ({ held }: World, at: number): Held | undefined => [...held][at];
const acts = {
  open: (world: World) => world.open(),
  leave: (world: World, { at }: Command) => world.leave(at),
  change: (world: World, { path }: Command) => world.change(path),
  write: (world: World, { path }: Command) => world.write(path),
  fail: (world: World, { at, looked }: Command) =>
    heldAt(world, at)?.fail(looked === 'late' ? 503 : 500),
  refuse: (world: World, { at }: Command) => heldAt(world, at)?.refuse(),
  answer: (world: World, { at, looked }: Command) => heldAt(world, at)?.answer(looked),
  wait: (_: World, { ms }: Command) => clock.advance(ms),
} as const;

/** The more often an act is named, the more often it is done. */
const often = ['refuse', 'answer', 'answer', 'answer', 'wait', 'wait'] as const;
const command = fc.record<Command>({
  does: fc.constantFrom(...(Object.keys(acts) as Command['does'][]), ...often),
  path: fc.constantFrom(...paths),
  at: fc.nat(2),
  looked: fc.constantFrom('early', 'late'),
  ms: fc.constantFrom(1, 100, 600, 3000, 10_000, 30_000),
});

it('no event shows what was read before a change that ended earlier, and every stream comes to know the newest', async () => {
  const bytes = fc.constantFrom(0, 1_000_000);
  const commands = fc.array(command, { minLength: 3, maxLength: 60 });
  const property = fc.asyncProperty(bytes, bytes, commands, async (kept, watched, all) => {
    const world = start(kept, watched);
    for (const each of all) {
      await acts[each.does](world, each);
      await settled();
      expect(world.faults).toEqual([]);
    }
    // Longer than polls that fail are put off, and events that fail are held back.
    for (let second = 0; second < 40; second += 1) {
      await world.answerAll();
      await clock.advance(1000);
    }
    await world.answerAll();
    expect(world.faults).toEqual([]);
    const newest = [...world.values.values()];
    for (const shown of world.events.values()) expect(shown).toEqual(newest);
    for (const stream of world.events.keys()) stream.end('client left');
    clock.restore();
  });
  await fc.assert(property, { numRuns: runsOf(50, Infinity, 10_000), seed });
});
