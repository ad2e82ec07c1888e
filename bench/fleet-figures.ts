import type { Goodput } from './goodput.ts';
import type { Parts } from './parts.ts';
import type { Seen, View } from './viewers.ts';

/** Summary of the views of a fleet on one server. Times in seconds. */
export interface FleetFigures {
  /** From the first request to the first whole view, or to the last part of a whole answer; undefined if none came. */
  readonly first: number | undefined;
  /** Views requested after that, and those of them that were whole within a second. */
  readonly later: number;
  readonly prompt: number;
  /** Views of a whole fleet, and those of them that are whole. */
  readonly views: number;
  readonly whole: number;
  /** Percent of the things in the fullest view, or in all parts together. */
  readonly most: number;
  /** The greatest age of a part in any view. */
  readonly oldest: number | undefined;
  /** Calls that were answered with 429. */
  readonly refused: number;
  readonly failedWrites: number;
  /** Views, including small pages, that show the state before a mutation that had already been answered. */
  readonly earlier: number;
  /** Waits of the writes' calls and of the small pages' calls, if the server reports how long calls wait for their slots. */
  readonly writeWaits: Waits | undefined;
  readonly pageWaits: Waits | undefined;
  readonly pages: number;
  readonly wholePages: number;
  readonly parts: PartFigures | undefined;
}

/** How long calls waited for their slots. */
export interface Waits {
  readonly longest: number;
  /** Number of waits longer than a second. */
  readonly late: number;
}

/** Summary of an answer in parts. */
export interface PartFigures {
  /** Services whose pipes arrived, or which the answer reports as asleep. */
  readonly services: number;
  /** Number of moments at which pipes arrived, and the seconds to the first and the last of them. */
  readonly moments: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Pipes that arrived after pipes that the backend read a second or more later. */
  readonly overtaken: number;
  /** The longest time from the backend's reading to the arrival, in seconds. */
  readonly held: number;
}

const isPipe = ({ thing }: { readonly thing: string }): boolean => thing.startsWith('pipe ');

export const partFiguresOf = ({ arrivals }: Parts): PartFigures => {
  const filled = arrivals.filter(({ stamps, asleep }) => asleep > 0 || stamps.some(isPipe));
  const seconds = filled.map(({ milliseconds }) => milliseconds / 1000);
  const pipes = filled.flatMap(({ stamps, at: arrived }) =>
    stamps.filter(isPipe).map(({ thing, at }) => ({ thing, at, held: (arrived - at) / 1000 })),
  );
  const asleep = arrivals.reduce((sum, arrival) => sum + arrival.asleep, 0);
  let newest = 0;
  let overtaken = 0;
  for (const { at } of pipes) {
    if (at < newest - 1000) overtaken += 1;
    newest = Math.max(newest, at);
  }
  return {
    services: new Set(pipes.map(({ thing }) => thing.replace(/\.\d+$/, ''))).size + asleep,
    moments: filled.length,
    first: seconds[0],
    last: seconds.at(-1),
    overtaken,
    held: Math.max(0, ...pipes.map(({ held }) => held)),
  };
};

const waitsOf = (
  requests: readonly { readonly waited: number | undefined }[],
): Waits | undefined => {
  const waits = requests.flatMap(({ waited }) => (waited === undefined ? [] : [waited / 1000]));
  if (waits.length === 0) return undefined;
  return { longest: Math.max(...waits), late: waits.filter((wait) => wait > 1).length };
};

const endOf = ({ began, milliseconds }: View): number => began + milliseconds;

export const fleetFiguresOf = ({
  scenario,
  views,
  besides,
  writes,
  parts,
  counts,
}: Seen & {
  readonly scenario: { readonly things: number };
  readonly counts: Pick<Goodput['counts'], 'refused'>;
}): FleetFigures => {
  const whole = views.filter((view) => view.whole);
  const firstEnd = Math.min(...whole.map(endOf));
  const firstBegin = Math.min(...views.map(({ began }) => began));
  const later = views.filter(({ began }) => began >= firstEnd);
  const ages = [...views, ...besides].map(({ oldest }) => oldest).filter((age) => age >= 0);
  const shown = parts?.arrivals.flatMap(({ stamps }) => stamps).length ?? 0;
  const ofParts = parts && partFiguresOf(parts);
  const firstView = whole.length > 0 ? (firstEnd - firstBegin) / 1000 : undefined;
  return {
    first: parts?.whole ? ofParts?.last : firstView,
    later: later.length,
    prompt: later.filter((view) => view.whole && view.milliseconds <= 1000).length,
    views: views.length + (parts ? 1 : 0),
    whole: whole.length + (parts?.whole ? 1 : 0),
    most: (100 * Math.max(shown, ...views.map(({ things }) => things))) / scenario.things,
    oldest: ages.length > 0 ? Math.max(...ages) / 1000 : undefined,
    refused: counts.refused,
    earlier: [...views, ...besides].filter(({ earlier }) => earlier).length,
    failedWrites: writes.filter(({ isDone }) => !isDone).length,
    writeWaits: waitsOf(writes),
    pageWaits: waitsOf(besides),
    pages: besides.length,
    wholePages: besides.filter((page) => page.whole).length,
    parts: ofParts,
  };
};
