import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { headersOf, post } from './clients.ts';
import type { FleetScenario } from './fleet.ts';
import { stateOf } from './names.ts';
import { askInParts, type Parts } from './parts.ts';
import {
  type PipeNumbers,
  type Rhythm,
  type Scenario,
  type Viewer,
  writeBody,
} from './scenarios.ts';
import { isWhole, readAnswer, type Shown } from './shown.ts';

/** A requested page. */
export interface View {
  readonly whole: boolean;
  /** When it was requested, in milliseconds from the scenario's beginning. */
  readonly began: number;
  readonly milliseconds: number;
  /** The number of things that it shows. */
  readonly things: number;
  /** Age of its oldest part at arrival, in milliseconds; negative if it shows nothing. */
  readonly oldest: number;
  /** Whether it was sent after a write's answer but shows the pipe as it was before. */
  readonly earlier: boolean;
  /** As in `Shown`. */
  readonly waited: number | undefined;
}

export interface Write {
  readonly isDone: boolean;
  /** As in `Shown`. */
  readonly waited: number | undefined;
}

/** The views of one server. */
export interface Seen {
  readonly views: readonly View[];
  readonly writes: readonly Write[];
  /** The concurrent small pages. */
  readonly besides: readonly View[];
  readonly parts: Parts | undefined;
}

/** Runs `act` repeatedly. A run that would begin before the run before has ended is skipped. */
const repeat = async <Result>(
  { offset, every, times, ends = Infinity }: Rhythm,
  act: (turn: number) => Promise<Result>,
): Promise<readonly Result[]> => {
  const began = performance.now();
  const first = began + offset;
  const results: Result[] = [];
  let turn = 0;
  while (results.length < times && offset + turn * every < ends) {
    await pass(Math.max(0, first + turn * every - performance.now()));
    results.push(await act(results.length));
    turn = Math.max(turn + 1, Math.ceil((performance.now() - first) / every));
  }
  return results;
};

const inTurn = <Item>(items: readonly Item[], turn: number): Item => {
  const item = items[turn % items.length];
  if (item === undefined) throw new Error('there is nothing to take turns');
  return item;
};

/**
 * Runs all viewers of a scenario against one server, with the headers of Apollo Client 4. With several URLs each viewer
 * stays at one of them, and the writes go to them in turn.
 */
export const watch = async (
  urls: readonly string[],
  {
    viewers,
    writes,
    isOneTree,
    besides = [],
    parts,
  }: Pick<Scenario, 'viewers' | 'writes' | 'isOneTree'> &
    Partial<Pick<FleetScenario, 'besides' | 'parts'>>,
): Promise<Seen> => {
  // Viewers give up later than the gateway does.
  const pools = urls.map(
    (url) => new Pool(url, { connections: null, headersTimeout: 40_000, bodyTimeout: 40_000 }),
  );
  /** The newest version of each written pipe that a write's answer has shown. */
  const known = new Map<string, number>();
  const start = performance.now();
  // Makes Sluice report how long its calls have waited.
  const explained = besides.length > 0 ? { 'sluice-explain': '1' } : undefined;
  const headersFor = (caller: number) => ({
    ...headersOf('Apollo Client 4', caller, isOneTree),
    ...explained,
  });

  const ask = async (at: number, body: string, caller: number): Promise<Shown> => {
    // A request that fails completely, or never ends, shows nothing.
    const answer = await post(inTurn(pools, at), headersFor(caller), body).catch(() => null);
    return readAnswer(answer?.text ?? '');
  };

  const look = async (at: number, { pages, caller }: Viewer, turn: number): Promise<View> => {
    const page = inTurn(pages, turn);
    const least = new Map(known);
    const began = performance.now();
    const shown = await ask(at, page.body, caller);
    const { stamps, waited } = shown;
    return {
      whole: isWhole(shown, page, caller),
      began: began - start,
      milliseconds: performance.now() - began,
      things: stamps.length,
      oldest: Date.now() - Math.min(...stamps.map(({ at }) => at)),
      earlier: stamps.some(({ thing, version }) => version < (least.get(thing) ?? 0)),
      waited,
    };
  };
  /** Stops the pipe if it runs according to the last answer, and starts it otherwise. */
  const write = async (at: number, numbers: PipeNumbers): Promise<Write> => {
    const thing = `pipe ${numbers.join('.')}`;
    const before = known.get(thing) ?? 0;
    const command = stateOf(before) === 'Running' ? 'stop' : 'start';
    const { stamps, sound, waited } = await ask(at, writeBody(command, numbers), 0);
    const version = stamps.find((stamp) => stamp.thing === thing)?.version;
    if (!sound || version === undefined) return { isDone: false, waited };
    known.set(thing, Math.max(before, version));
    return { isDone: true, waited };
  };
  const looking = (each: Viewer, at: number) => repeat(each, (turn) => look(at, each, turn));
  const [views, small, written, arrived] = await Promise.all([
    Promise.all(viewers.map(looking)),
    Promise.all(besides.map(looking)),
    writes ? repeat(writes, (turn) => write(turn, inTurn(writes.pipes, turn))) : [],
    parts && askInParts(inTurn(pools, 0), headersFor(0), parts),
  ]);
  for (const pool of pools) await pool.close();
  return { views: views.flat(), writes: written, besides: small.flat(), parts: arrived };
};
