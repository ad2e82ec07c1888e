import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isBackground } from '../../src/upstream/priority.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { settled } from '../support/upstream/calls.ts';
import { type Asked, type PassedCall, startTable } from './table-world.ts';

const holders = ['Bearer one', 'Bearer one', 'Bearer one', 'Bearer two', 'Bearer three'];
const [freshMs, staleMs, longestMs, uncertainMs] = [3000, 60_000, 25_000, 30_000];
const now = (): number => performance.now();

/** What a write, or the refusal of a credential, has changed: for one holder or for all, and perhaps until a later time. */
interface Change {
  readonly at: number;
  readonly until: number;
  readonly holder: string | undefined;
  readonly paths: readonly string[];
}

const command = fc.record({
  do: fc.constantFrom(
    ...Array<'read'>(10).fill('read'),
    ...Array<'advance'>(8).fill('advance'),
    ...Array<'end'>(5).fill('end'),
    ...(['write', 'write', 'end write', 'end write', 'send', 'send'] as const),
    ...(['leave', 'slots', 'send again'] as const),
  ),
  at: fc.nat(9),
  holder: fc.constantFrom(...holders),
  path: fc.constantFrom('/api/v2/alerts', '/api/v2/alerts', '/api/v2/alerts', '/api/v2/dashboards'),
  isRare: fc.constantFrom(false, false, false, false, true),
  ms: fc.constantFrom(
    0,
    20.3,
    97.1,
    501.7,
    501.7,
    1501.2,
    3001.4,
    3001.4,
    9001.5,
    25_001.1,
    60_001,
  ),
  status: fc.constantFrom(...Array<undefined>(8).fill(undefined), 401, 403, 404, 424, 500),
  answered: fc.constantFrom(200, 200, 504, 400, 401),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** How often something was met in all runs: they are to be neither too odd nor too tame. */
const seen = { fresh: 0, stale: 0, joined: 0, cutOff: 0, late: 0, keptFailures: 0 };

const isRead = ({ call }: PassedCall): boolean => call.row.operation.method === 'GET';
const isOf =
  ({ holder, path }: Pick<Asked, 'holder' | 'path'>) =>
  ({ call }: PassedCall): boolean =>
    call.holder === holder && call.path === path;
const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
  items[at % items.length];

/** A table of reads, and what is to be true of it at any time. */
const startRun = () => {
  const world = startTable();
  const changes: Change[] = [];
  const left = new Set<Asked>();
  const checked = new Set<Asked>();
  const reads = () => world.underWay().filter(isRead);
  const waiting = () => world.asked.filter(({ outcome }) => !outcome);

  const note = (holder: string | undefined, paths: readonly string[], until = -Infinity): void => {
    changes.push({ at: now(), until, holder, paths });
  };
  /** A refusal changes all that was read for a credential of which something was known. */
  const noteRefusal = ({ call: { holder }, startedAt }: PassedCall): void => {
    const isKnown = (world.proven.get(holder) ?? Infinity) < startedAt;
    if (isKnown) note(holder, ['/api/v2/alerts', '/api/v2/dashboards']);
  };

  const endWrite = async (write: PassedCall, status: number): Promise<void> => {
    const { holder, row } = write.call;
    const paths = row.changes.map((template) => template.fill({}));
    if (status === 200) write.answer();
    else write.fail({ status });
    await settled();
    if (status === 401) noteRefusal(write);
    if (status === 200 && row.api.pathsNameOwner) note(undefined, paths);
    // Perhaps what is answered 504 is carried out later.
    note(holder, paths, status === 504 ? now() + uncertainMs : undefined);
  };

  const act = async (command: Command): Promise<void> => {
    const { at, holder, path, isRare, status } = command;
    const sent = pick(
      reads().filter(({ sentAt }) => sentAt !== undefined),
      at,
    );
    if (command.do === 'read') world.read({ holder, path, isAnew: isRare });
    if (command.do === 'write') {
      note(holder, [path]);
      world.write({ holder, changes: [path], isForAll: isRare });
    }
    const write = pick(
      world.underWay().filter((call) => !isRead(call)),
      at,
    );
    if (command.do === 'end write' && write) await endWrite(write, command.answered);
    if (command.do === 'slots') world.sendAtOnce(!isRare);
    if (command.do === 'send')
      pick(
        reads().filter(({ sentAt }) => !sentAt),
        at,
      )?.send();
    if (command.do === 'send again') sent?.sendAgain();
    if (command.do === 'end' && sent) {
      if (status === undefined) sent.answer();
      else sent.fail({ status });
      await settled();
      if (status === 401) noteRefusal(sent);
    }
    const leaving = command.do === 'leave' ? pick(waiting(), at) : undefined;
    if (leaving) left.add(leaving);
    leaving?.leave();
    if (command.do === 'advance') await world.clock.advance(command.ms);
    await settled();
  };

  /** Whether the answer of a call is of a time after all that had changed when it was asked for. */
  const isCurrent = ({ holder, path, askedAt }: Asked, sentAt: number, isKept: boolean): boolean =>
    changes.every((change) => {
      const isAbout = (change.holder ?? holder) === holder && change.paths.includes(path);
      if (!isAbout || change.at > askedAt) return true;
      // A read that an uncertain write may still change is not kept, but may be joined.
      const isOpen = !isKept && change.until > askedAt;
      return sentAt > change.at && (isOpen || sentAt > change.until);
    });

  const checkOutcome = (one: Asked, { number, failure, at }: NonNullable<Asked['outcome']>) => {
    if (failure?.reason === 'aborted') {
      expect(left.has(one)).toBe(true);
      return;
    }
    const call = world.calls[(number ?? 0) - 1];
    if (!call) throw new Error(`No call ${number}`);
    const { sentAt = 0, lastsSince = 0, startedAt, endedAt = 0 } = call;
    expect(isOf(one)(call)).toBe(true);
    if (failure?.reason === 'timeout') {
      expect(at - lastsSince).toBeGreaterThan(longestMs - 2);
      seen.late += 1;
      return;
    }
    const isKept = endedAt < one.askedAt;
    if (startedAt < one.askedAt && !isKept) seen.joined += 1;
    if (!failure || isKept) {
      expect(sentAt).toBeGreaterThanOrEqual(one.readAfter);
      expect(isCurrent(one, sentAt, isKept)).toBe(true);
    }
    if (!isKept) return;
    if (failure) {
      expect([403, 404, 424]).toContain(failure.status);
      seen.keptFailures += 1;
    }
    expect(at - endedAt).toBeLessThanOrEqual(failure?.status === 404 ? freshMs : staleMs);
    const isFresh = one.askedAt - endedAt <= freshMs;
    seen[isFresh ? 'fresh' : 'stale'] += 1;
    if (isFresh) expect(at - one.askedAt).toBeLessThan(1);
    // Something older is shown only while a read takes long.
    const isSlow = ({ firstSentAt: sent = Infinity, endedAt: end = Infinity }: PassedCall) =>
      sent + 498 < at && end > at - 1;
    if (!isFresh) expect(world.calls.filter(isOf(one)).some(isSlow)).toBe(true);
  };

  const check = (): void => {
    for (const read of reads()) {
      const { call, sentAt } = read;
      expect(reads().filter(isOf(call)).length).toBeLessThanOrEqual(2);
      const claims = call.claims?.list() ?? [];
      const wanted = claims.filter(({ priority }) => !isBackground(priority));
      expect(now() - (read.lastsSince ?? now())).toBeLessThan(longestMs + 2);
      // What waits to be sent is wanted.
      if (sentAt === undefined) expect(claims).not.toEqual([]);
      const waits = waiting().filter((one) => isOf(one)(read));
      expect(wanted.length).toBeLessThanOrEqual(waits.length);
    }
    for (const one of waiting()) expect(reads().filter(isOf(one))).not.toEqual([]);
    for (const one of world.asked) {
      if (!one.outcome || checked.has(one)) continue;
      checked.add(one);
      checkOutcome(one, one.outcome);
    }
  };

  /** Everything ends, and nothing is left. */
  const close = async (): Promise<void> => {
    for (let time = 0; time < 3; time += 1) {
      for (const call of reads()) if (call.sentAt === undefined) call.send();
      await world.clock.advance(longestMs + 1);
      check();
    }
    expect([waiting(), reads()]).toEqual([[], []]);
    await world.clock.advance(61_000);
    expect(world.clock.timers).toBe(0);
    for (const holder of holders)
      expect(world.entries.heldBy('observability', holder).size).toBe(0);
    seen.cutOff += world.calls.filter(({ isCutOff }) => isCutOff).length;
  };
  return { act, check, close, restore: world.clock.restore };
};

const runs = runsOf(200);

it(
  'whatever comes, a request is answered with what counts for it, and everything ends',
  async () => {
    const commands = fc.array(command, { minLength: 2, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        const { act, check, close, restore } = startRun();
        try {
          for (const each of all) {
            await act(each);
            check();
          }
          await close();
        } finally {
          restore();
        }
      }),
      { numRuns: runs, seed },
    );
    for (const [what, times] of Object.entries(seen)) {
      expect(times, what).toBeGreaterThan(runs / 20);
    }
  },
  60_000 + runs * 200,
);
