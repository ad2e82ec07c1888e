import { readName, type Stamp, stateOf } from './names.ts';
import type { Page } from './pages.ts';

/** What a GraphQL answer shows. */
export interface Shown {
  /** What the names tell, in the answer's order. */
  readonly stamps: readonly Stamp[];
  /** No errors and no nulls, every name made by the backend, and every state that of its version. */
  readonly sound: boolean;
  /** Its errors, or how it begins, where something is missing; to find out why. */
  readonly excerpt: string;
}

/** Looks through an answer, given as text. One that is not JSON shows nothing. */
export const read = (text: string): Shown => {
  const stamps: Stamp[] = [];
  let sound = true;
  let excerpt = text;
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
    if (errors !== undefined) {
      sound = false;
      excerpt = JSON.stringify(errors);
    }
    visit(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    sound = false;
  }
  return { stamps, sound, excerpt: excerpt.slice(0, 300) };
};

/** Whether the answer has everything of the page, and nothing of anybody else's. */
export const isWhole = ({ stamps, sound }: Shown, page: Page, caller: number): boolean =>
  sound &&
  stamps.length === page.things.length &&
  stamps.every((stamp, at) => stamp.thing === page.things[at] && stamp.caller === caller);
