import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { isBackground } from '../../src/upstream/gate/claims.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { settled } from '../support/upstream/calls.ts';
import {
  type Asked,
  type PassedCall,
  startTable,
  type TableWorld,
} from '../support/upstream/table-world.ts';

let world: TableWorld;
afterEach(() => world.clock.restore());

const holders = ['Bearer one', 'Bearer two', 'Bearer three'] as const;
const paths = ['/api/v2/alerts', '/api/v2/dashboards'] as const;
const [freshMs, staleMs, youngMs, longestMs] = [3000, 60_000, 3000, 25_000];
const lasting = [403, 404, 424];
const now = (): number => performance.now();

/** What a write, or the refusal of a credential, has changed: for one holder or for all, of some paths or of all. */
interface Change {
  readonly at: number;
  readonly until: number;
  readonly holder: string | undefined;
  readonly paths: readonly string[];
}

interface Value {
  readonly number: number;
  readonly status: number | undefined;
  readonly sentAt: number;
  readonly readAt: number;
}

/** What is to be known of one read. */
class Known {
  value: Value | undefined;
  lastMs = 0;
}

type Place = Pick<Asked, 'holder' | 'path'>;

/** What a request is to meet, by the rules of the design. */
class Reference {
  readonly changes: Change[] = [];
  readonly #known = new Map<string, Known>();
  /** The number of the call that each request waits for, where the rules leave no choice. */
  readonly waitsFor = new Map<Asked, number>();

  /** How long calls are joined that took the place of one that was slow. */
  readonly young = new Map<number, number>();

  youngMsOf(number: number): number {
    return this.young.get(number) ?? youngMs;
  }

  of({ holder, path }: Place): Known {
    const known = this.#known.get(holder + path) ?? new Known();
    this.#known.set(holder + path, known);
    return known;
  }

  note(holder: string | undefined, changed: readonly string[] = paths, until = -Infinity): void {
    this.changes.push({ at: now(), until, holder, paths: changed });
  }

  /** Whether nothing has changed since it was sent, of what was noted and has happened up to then. */
  isCurrent({ holder, path }: Place, sentAt: number, upTo: number, notedBy = Infinity): boolean {
    return this.changes.every((change) => {
      const isAbout = (change.holder ?? holder) === holder && change.paths.includes(path);
      if (!isAbout || change.at > notedBy) return true;
      return sentAt > change.at && (change.until > upTo || sentAt > change.until);
    });
  }

  /** What memory has for a request that comes now. */
  find(one: Asked): Value | undefined {
    const known = this.of(one);
    const { value } = known;
    if (!value) return undefined;
    const { status, sentAt, readAt } = value;
    if (!this.isCurrent(one, sentAt, Infinity)) {
      known.value = undefined;
      return undefined;
    }
    const longest = status === 404 ? freshMs : staleMs;
    return sentAt >= one.readAfter && now() - readAt <= longest ? value : undefined;
  }

  /** Keeps what a call came to, if it counts. */
  keep(place: Place, call: PassedCall, status?: number): void {
    const { number, sentAt = now() } = call;
    const known = this.of(place);
    if ((known.value?.sentAt ?? -Infinity) > sentAt) return;
    if (!this.isCurrent(place, sentAt, Infinity)) return;
    known.value = { number, status, sentAt, readAt: now() };
  }

  /** Forgets what is too old, and how long reads took of which nothing else is known. */
  tidy(underWay: readonly PassedCall[]): void {
    for (const [name, known] of this.#known) {
      if (now() - (known.value?.readAt ?? -Infinity) > staleMs) known.value = undefined;
      const isRead = underWay.some(({ call }) => call.holder + call.path === name);
      if (!known.value && !isRead) this.#known.delete(name);
    }
  }
}

const isRead = ({ call }: PassedCall): boolean => call.row.operation.method === 'GET';
const isOf =
  ({ holder, path }: Place) =>
  ({ call }: PassedCall): boolean =>
    call.holder === holder && call.path === path;
const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
  items[at % items.length];

/** What has been met in all runs: they are to be neither too odd nor too tame. */
const seen = { fresh: 0, stale: 0, joined: 0, cutOff: 0, late: 0, keptFailures: 0, served: 0 };

/** One run: what is done to the table, and what is to come of it. */
class Run {
  readonly world = world;
  readonly model = new Reference();
  readonly #checked = new Set<Asked>();
  readonly #left = new Set<Asked>();
  /** Reads that were under way when their credential was refused: their answers are not kept. */
  readonly #doubted = new Set<PassedCall>();

  get reads(): readonly PassedCall[] {
    return this.world.underWay().filter(isRead);
  }

  get waiting(): readonly Asked[] {
    return this.world.asked.filter(({ outcome }) => !outcome);
  }

  callOf(number: number | undefined): PassedCall {
    const call = this.world.calls[(number ?? 0) - 1];
    if (!call) throw new Error(`No call ${number}`);
    return call;
  }

  async read(place: Place, isAnew: boolean): Promise<void> {
    const { model } = this;
    const underWay = this.reads;
    const before = underWay.filter(isOf(place));
    const count = this.world.calls.length;
    const one = this.world.read({ ...place, isAnew });
    const value = model.find(one);
    model.tidy(underWay);
    await settled();
    const started = this.world.calls.slice(count);
    if (value && one.askedAt - value.readAt <= freshMs) {
      expect(one.outcome).toMatchObject({ number: value.number });
      expect(one.outcome?.failure?.status).toBe(value.status);
      expect(started).toEqual([]);
      seen.fresh += 1;
      return;
    }
    const open = before.filter(
      ({ sentAt }) =>
        sentAt === undefined ||
        (sentAt >= one.readAfter && model.isCurrent(one, sentAt, one.askedAt)),
    );
    const lastMs = 2 * model.of(one).lastMs;
    const slowFor = ({ sentAt = Infinity, number }: PassedCall): number =>
      one.askedAt - sentAt - Math.max(model.youngMsOf(number), lastMs);
    if (before.some((call) => Math.abs(slowFor(call)) < 1)) return;
    const joined = open.findLast((call) => slowFor(call) < 0);
    // An older answer is shown at once where the read has taken long already, and is read anew.
    if (!joined || !value) expect(started).toHaveLength(joined ? 0 : 1);
    const newest = joined ?? started[0];
    const cutOff = before.filter((call) => call.isCutOff);
    const [oldest, newer] = before;
    const isStuck = oldest && slowFor(oldest) > 0 && !open.includes(oldest);
    const replaced = isStuck ? oldest : newer;
    expect(cutOff).toEqual(joined || before.length < 2 ? [] : [replaced]);
    if (replaced && started[0] && cutOff.length > 0) {
      const times = slowFor(replaced) > 0 ? 2 : 1;
      model.young.set(started[0].number, times * model.youngMsOf(replaced.number));
    }
    if (joined) seen.joined += 1;
    seen.cutOff += cutOff.length;
    if (newest && !value) model.waitsFor.set(one, newest.number);
  }

  async leave(one: Asked | undefined): Promise<void> {
    if (!one) return;
    this.#left.add(one);
    one.leave();
    await settled();
    expect(one.outcome?.failure?.reason).toBe('aborted');
  }

  /** Who waited for a call that was cut off waits for the one that took its place. */
  follow(count: number): void {
    for (const started of this.world.calls.slice(count)) {
      for (const [one, number] of this.model.waitsFor) {
        const call = this.callOf(number);
        const isReplaced = call.isCutOff && Math.abs((call.endedAt ?? 0) - started.startedAt) < 0.1;
        if (isReplaced && isOf(one)(started)) this.model.waitsFor.set(one, started.number);
      }
    }
  }

  async end(call: PassedCall, given?: number): Promise<void> {
    const { model } = this;
    const place = call.call;
    const { sentAt = now(), number } = call;
    const waited = this.waiting.filter((one) => isOf(one)(call));
    const known = model.of(place).value;
    // What no longer counts may have been dropped or not: then a 403 means either.
    const isDoubtful = known !== undefined && !model.isCurrent(place, known.sentAt, Infinity);
    const status = given === 403 && isDoubtful ? 404 : given;
    const isUsed = status === undefined;
    const wasShown = known !== undefined && known.status === undefined;
    if (isUsed) call.answer();
    else call.fail({ status });
    await settled();
    const isRefused = status === 401 || (status === 403 && wasShown);
    if (isRefused) this.refuse(call);
    const isKept = isUsed ? !this.#doubted.has(call) : lasting.includes(status);
    if (isKept) model.keep(place, call, status);
    if (isUsed) model.of(place).lastMs = now() - sentAt;
    for (const one of waited) {
      const isServed =
        isUsed && sentAt >= one.readAfter && model.isCurrent(one, sentAt, call.endedAt ?? 0);
      if (!isServed && model.waitsFor.get(one) !== number) continue;
      if (model.waitsFor.get(one) !== number) seen.served += 1;
      expect(one.outcome).toMatchObject({ number });
      expect(one.outcome?.failure?.status).toBe(status);
    }
  }

  /** A credential is refused: all is dropped that is known of it, if anything is. */
  refuse({ call: { holder }, startedAt }: PassedCall): void {
    for (const read of this.reads) if (read.call.holder === holder) this.#doubted.add(read);
    const wasProven = (this.world.proven.get(holder) ?? Infinity) < startedAt;
    const hasKept = paths.some((path) => this.model.of({ holder, path }).value);
    if (wasProven || hasKept) this.model.note(holder);
  }

  async endWrite(write: PassedCall, how: (typeof writeEnds)[number]): Promise<void> {
    const { holder, row } = write.call;
    const changed = row.changes.map((template) => template.fill({}));
    if (how === 'succeeds') write.answer();
    else if (how === 'is uncertain') write.fail({ reason: 'timeout', inFlightMs: 10 });
    else write.fail({ status: how });
    await settled();
    if (how === 401) this.refuse(write);
    if (how === 'succeeds' && row.api.pathsNameOwner) this.model.note(undefined, changed);
    const until = how === 'is uncertain' ? now() + 30_000 : -Infinity;
    this.model.note(holder, changed, until);
  }

  /** What is to be true at any time. */
  check(): void {
    const { model, reads } = this;
    for (const place of reads.map(({ call }) => call)) {
      expect(reads.filter(isOf(place)).length).toBeLessThanOrEqual(2);
    }
    for (const { call, sentAt, firstSentAt = now() } of reads) {
      expect(now() - firstSentAt).toBeLessThan(longestMs + 2);
      if (sentAt !== undefined) continue;
      const claims = call.claims?.list() ?? [];
      const ofRequests = claims.filter(({ priority }) => !isBackground(priority));
      // What waits to be sent is wanted.
      expect(claims).not.toEqual([]);
      expect(ofRequests.length).toBeLessThanOrEqual(
        this.waiting.filter((one) => call.holder === one.holder && call.path === one.path).length,
      );
    }
    for (const one of this.waiting) expect(reads.filter(isOf(one))).not.toEqual([]);
    // Each timer is one of somebody who waits, of a read that was sent, of one in the background, or of something kept.
    const { clock, keptAt } = this.world;
    const kept = keptAt.filter((each) => each > now() - staleMs - 2);
    expect(clock.timers).toBeLessThanOrEqual(kept.length + 2 * reads.length + this.waiting.length);
    for (const one of this.world.asked) {
      if (one.outcome && !this.#checked.has(one)) {
        this.#checked.add(one);
        this.checkOutcome(one, one.outcome);
      }
    }
    model.tidy(reads);
  }

  checkOutcome(one: Asked, { number, failure, at }: NonNullable<Asked['outcome']>): void {
    if (failure?.reason === 'aborted') {
      // Nobody is given up who has not left.
      expect(this.#left.has(one)).toBe(true);
      return;
    }
    const call = this.callOf(number);
    const { sentAt = 0, endedAt = 0 } = call;
    const isKept = endedAt < one.askedAt;
    expect(isOf(one)(call)).toBe(true);
    if (failure?.reason === 'timeout') {
      seen.late += 1;
      expect(at - (call.firstSentAt ?? 0)).toBeGreaterThan(longestMs - 2);
      const waitedFor = this.model.waitsFor.get(one);
      if (waitedFor !== undefined) expect(waitedFor).toBe(number);
      return;
    }
    const isOwn = this.model.waitsFor.get(one) === number;
    if (!failure || !isOwn) {
      expect(sentAt).toBeGreaterThanOrEqual(one.readAfter);
      const upTo = isKept ? Infinity : one.askedAt;
      expect(this.model.isCurrent(one, sentAt, upTo, one.askedAt)).toBe(true);
    }
    if (!isKept) return;
    if (failure) {
      seen.keptFailures += 1;
      expect(lasting).toContain(failure.status);
    }
    expect(at - endedAt).toBeLessThanOrEqual(failure?.status === 404 ? freshMs : staleMs);
    if (one.askedAt - endedAt <= freshMs) return;
    seen.stale += 1;
    // Something is shown that is not fresh: a read has taken too long, which goes on.
    const slow = this.world.calls.filter(isOf(one)).filter((other) => {
      const { firstSentAt = Infinity } = other;
      return firstSentAt + 498 < at && (other.endedAt ?? Infinity) > at - 1;
    });
    expect(slow).not.toEqual([]);
  }

  async do(command: Command): Promise<void> {
    const count = this.world.calls.length;
    const sent = this.reads.filter(({ sentAt }) => sentAt !== undefined);
    const unsent = this.reads.filter(({ sentAt }) => sentAt === undefined);
    const nth = command.at;
    if (command.do === 'read') await this.read(command, command.isAnew);
    if (command.do === 'write') {
      this.model.note(command.holder, command.changes);
      this.world.write(command);
    }
    if (command.do === 'end write') {
      const write = pick(
        this.world.underWay().filter((call) => !isRead(call)),
        nth,
      );
      if (write) await this.endWrite(write, command.how);
    }
    if (command.do === 'slots') this.world.sendAtOnce(command.areFree);
    if (command.do === 'send') pick(unsent, nth)?.send();
    if (command.do === 'send again') pick(sent, nth)?.sendAgain();
    const call = pick(sent, nth);
    if (command.do === 'end' && call) await this.end(call, command.status);
    if (command.do === 'leave') await this.leave(pick(this.waiting, nth));
    if (command.do === 'advance') await this.world.clock.advance(command.ms);
    await settled();
    this.follow(count);
    this.check();
  }

  /** Everything ends, and nothing is left. */
  async close(): Promise<void> {
    for (let time = 0; time < 3; time += 1) {
      for (const call of this.reads) if (call.sentAt === undefined) call.send();
      const count = this.world.calls.length;
      await this.world.clock.advance(longestMs + 1);
      this.follow(count);
      this.check();
    }
    expect(this.waiting).toEqual([]);
    expect(this.reads).toEqual([]);
    await this.world.clock.advance(61_000);
    expect(this.world.clock.timers).toBe(0);
    for (const holder of holders) {
      expect(this.world.entries.heldBy('observability', holder).size).toBe(0);
    }
  }
}

const writeEnds = ['succeeds', 400, 429, 401, 'is uncertain'] as const;
const at = fc.nat(9);
const holder = fc.constantFrom(...[0, 0, 0, 0, 1, 2].map((each) => holders[each] ?? holders[0]));
const path = fc.constantFrom(paths[0], paths[0], paths[0], paths[1]);
const isAnew = fc.constantFrom(false, false, false, false, true);
const ms = fc.constantFrom(
  ...[0, 20.317, 97.131, 97.131, 501.713, 501.713, 1501.257, 3001.419],
  ...[3001.419, 3001.419, 9001.577, 25_001.173, 60_001.391],
);
const status = fc.constantFrom(...Array(8).fill(undefined), 401, 403, 403, 404, 424, 500);
const changes = fc.constantFrom([paths[0]], [paths[0]], [...paths], []);
const weighed = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });

const command = fc.oneof(
  weighed(10, fc.record({ do: fc.constant('read' as const), at, holder, path, isAnew })),
  weighed(
    2,
    fc.record({ do: fc.constant('write' as const), at, holder, changes, isForAll: fc.boolean() }),
  ),
  weighed(
    2,
    fc.record({ do: fc.constant('end write' as const), at, how: fc.constantFrom(...writeEnds) }),
  ),
  weighed(5, fc.record({ do: fc.constant('end' as const), at, status })),
  weighed(8, fc.record({ do: fc.constant('advance' as const), at, ms })),
  weighed(1, fc.record({ do: fc.constant('leave' as const), at })),
  weighed(
    1,
    fc.record({
      do: fc.constant('slots' as const),
      at,
      areFree: fc.constantFrom(true, true, false),
    }),
  ),
  weighed(2, fc.record({ do: fc.constant('send' as const), at })),
  weighed(1, fc.record({ do: fc.constant('send again' as const), at })),
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

const runs = runsOf(200);

it(
  'whatever comes, a request is answered with what counts for it, and everything ends',
  async () => {
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(command, { minLength: 2, maxLength: 60, size: 'max' }),
          async (all) => {
            world = startTable();
            const run = new Run();
            for (const each of all) await run.do(each);
            await run.close();
          },
        )
        .afterEach(() => world.clock.restore()),
      { numRuns: runs, seed },
    );
    for (const [what, times] of Object.entries(seen)) {
      expect(times, what).toBeGreaterThan(runs / 20);
    }
  },
  60_000 + runs * 200,
);
