import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { mainClient, requestHeaders } from '../clients.ts';
import { post } from '../post.ts';
import { isWhole, read, type Shown } from './answers.ts';
import { commandBody, commandedPipe, type Page } from './pages.ts';
import type { Scenario } from './scenarios.ts';

/** A page that was asked for. */
export interface View {
  /** No errors, nothing missing, and nothing that the backend did not send to this caller. */
  readonly whole: boolean;
  readonly milliseconds: number;
  /** Age of its oldest part when it arrived, in milliseconds; undefined where it shows nothing. */
  readonly oldest: number | undefined;
  /** It was sent after a command's answer, and shows the pipe as it was before. */
  readonly earlier: boolean;
  /** What its answer says where it is not whole. */
  readonly complaint: string | undefined;
}

/** What the viewers saw of one server. */
export interface Seen {
  readonly views: readonly View[];
  readonly commands: number;
  readonly failedCommands: number;
}

/** Viewers give up later than the gateway does. */
const patience = 40_000;

const createAsk = (pool: Pool, caller: number, extraHeaders: readonly string[]) => {
  const headers = [...requestHeaders(mainClient, 'pool', caller), ...extraHeaders];
  return async (body: string): Promise<Shown> => {
    // A request that fails altogether, or never ends, shows nothing.
    const answer = await post(pool, headers, body).catch(() => undefined);
    return read(answer?.text() ?? '');
  };
};

type Ask = ReturnType<typeof createAsk>;

/** The newest version of the commanded pipe that a command's answer has shown. */
interface Known {
  version: number;
}

const versionIn = ({ stamps }: Shown): number | undefined =>
  stamps.find(({ thing }) => thing === commandedPipe)?.version;

const view = async (ask: Ask, page: Page, caller: number, known: Known): Promise<View> => {
  const least = known.version;
  const began = performance.now();
  const shown = await ask(page.body);
  const milliseconds = performance.now() - began;
  const version = versionIn(shown);
  const whole = isWhole(shown, page, caller);
  return {
    whole,
    milliseconds,
    oldest:
      shown.stamps.length === 0
        ? undefined
        : Date.now() - Math.min(...shown.stamps.map(({ at }) => at)),
    earlier: version !== undefined && version < least,
    complaint: whole ? undefined : shown.excerpt,
  };
};

/**
 * Runs `act` so many times, at `first` and then at every multiple of the interval after it, in
 * milliseconds of `performance.now()`. One that would begin before the last has ended is left out, and
 * comes at the next multiple.
 */
const repeat = async <Result>(
  { first, every, times }: { first: number; every: number; times: number },
  act: () => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  let turn = 0;
  while (results.length < times) {
    await pass(Math.max(0, first + turn * every - performance.now()));
    results.push(await act());
    turn = Math.max(turn + 1, Math.ceil((performance.now() - first) / every));
  }
  return results;
};

/** Has everybody in a scenario look at one server. */
export const watch = async (url: string, scenario: Scenario): Promise<Seen> => {
  const pool = new Pool(url, {
    connections: null,
    headersTimeout: patience,
    bodyTimeout: patience,
  });
  const known: Known = { version: 0 };
  const began = performance.now();

  const viewing = scenario.viewers.map(({ caller, page, offset, every, times }) => {
    const ask = createAsk(pool, caller, scenario.headers ?? []);
    return repeat({ first: began + offset, every, times }, () => view(ask, page, caller, known));
  });

  /** Stops the pipe if it runs, as far as the answers have told, and starts it otherwise. */
  const command = async (ask: Ask): Promise<boolean> => {
    const shown = await ask(commandBody(known.version % 2 === 0 ? 'stop' : 'start'));
    const version = versionIn(shown);
    if (!shown.sound || version === undefined) return false;
    known.version = Math.max(known.version, version);
    return true;
  };
  const { commands } = scenario;
  const commanding = commands
    ? repeat({ ...commands, first: began + commands.offset }, () => command(createAsk(pool, 0, [])))
    : [];

  const views = (await Promise.all(viewing)).flat();
  const carriedOut = await commanding;
  await pool.close();
  return {
    views,
    commands: carriedOut.length,
    failedCommands: carriedOut.filter((done) => !done).length,
  };
};
