import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { headersOf, post } from './clients.ts';
import { readName, type Stamp, stateOf } from './names.ts';
import { type Page, type Rhythm, type Scenario, writeBody, writtenPipe } from './scenarios.ts';

/** What a GraphQL answer shows. */
export interface Shown {
  /** What the names tell, in the answer's order. */
  readonly stamps: readonly Stamp[];
  /** No errors and no nulls, every name made by the backend, and every state that of its version. */
  readonly sound: boolean;
}

/** Looks through an answer, given as text. One that is not JSON shows nothing. */
export const readAnswer = (text: string): Shown => {
  const stamps: Stamp[] = [];
  let sound = true;
  const visit = (value: unknown): void => {
    if (value === null) sound = false;
    if (typeof value !== 'object' || value === null) return;
    if ('name' in value) {
      const stamp = readName(value.name);
      if (stamp) stamps.push(stamp);
      const isPipe = stamp?.thing.startsWith('pipe ') && 'state' in value;
      if (!stamp || (isPipe && value.state !== stateOf(stamp.version))) sound = false;
    }
    for (const member of Object.values(value)) visit(member);
  };
  try {
    const { data = null, errors }: { data?: unknown; errors?: unknown } = JSON.parse(text);
    visit(data);
    return { stamps, sound: sound && errors === undefined };
  } catch (error) {
    if (error instanceof SyntaxError) return { stamps: [], sound: false };
    throw error;
  }
};

/** Whether the answer has everything of the page, and nothing of anybody else's. */
export const isWhole = ({ stamps, sound }: Shown, { things }: Page, caller: number): boolean =>
  sound &&
  stamps.length === things.length &&
  stamps.every((stamp, at) => stamp.thing === things[at] && stamp.caller === caller);

/** A page that was asked for. */
export interface View {
  readonly whole: boolean;
  readonly milliseconds: number;
  /** Age of its oldest part when it arrived, in milliseconds. */
  readonly oldest: number;
  /** It was sent after a write's answer, and shows the pipe as it was before. */
  readonly earlier: boolean;
}

/** What the viewers saw of one server. */
export interface Seen {
  readonly views: readonly View[];
  /** For each write, whether it was carried out. */
  readonly writes: readonly boolean[];
}

/**
 * Runs `act` in a rhythm. One that would begin before the last has ended is left out, and comes at the
 * next turn.
 */
const repeat = async <Result>(
  { offset, every, times }: Rhythm,
  act: () => Promise<Result>,
): Promise<readonly Result[]> => {
  const first = performance.now() + offset;
  const results: Result[] = [];
  let turn = 0;
  while (results.length < times) {
    await pass(Math.max(0, first + turn * every - performance.now()));
    results.push(await act());
    turn = Math.max(turn + 1, Math.ceil((performance.now() - first) / every));
  }
  return results;
};

/** Has everybody in a scenario look at one server, with the headers of Apollo Client 4. */
export const watch = async (
  url: string,
  { viewers, writes }: Pick<Scenario, 'viewers' | 'writes'>,
): Promise<Seen> => {
  // Viewers give up later than the gateway does.
  const pool = new Pool(url, { connections: null, headersTimeout: 40_000, bodyTimeout: 40_000 });
  /** The newest version of the written pipe that a write's answer has shown. */
  let known = 0;

  const ask = async (body: string, caller: number): Promise<Shown> => {
    // A request that fails altogether, or never ends, shows nothing.
    const answer = await post(pool, headersOf('Apollo Client 4', caller), body).catch(() => null);
    return readAnswer(answer?.text ?? '');
  };
  const versionIn = ({ stamps }: Shown): number | undefined =>
    stamps.find(({ thing }) => thing === writtenPipe)?.version;

  const look = async (page: Page, caller: number): Promise<View> => {
    const least = known;
    const began = performance.now();
    const shown = await ask(page.body, caller);
    return {
      whole: isWhole(shown, page, caller),
      milliseconds: performance.now() - began,
      oldest: Date.now() - Math.min(...shown.stamps.map(({ at }) => at)),
      earlier: (versionIn(shown) ?? least) < least,
    };
  };
  /** Stops the pipe if it runs, as far as the answers have told, and starts it otherwise. */
  const write = async (): Promise<boolean> => {
    const shown = await ask(writeBody(stateOf(known) === 'Running' ? 'stop' : 'start'), 0);
    const version = versionIn(shown);
    if (!shown.sound || version === undefined) return false;
    known = Math.max(known, version);
    return true;
  };
  const viewing = viewers.map((each) => repeat(each, () => look(each.page, each.caller)));
  const written = writes ? await repeat(writes, write) : [];
  const views = (await Promise.all(viewing)).flat();
  await pool.close();
  return { views, writes: written };
};
