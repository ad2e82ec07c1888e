import { readName, type Stamp, stateOf } from './names.ts';
import type { Page } from './scenarios.ts';

/** The content of a GraphQL answer, or of a part of it. */
export interface Shown {
  /** The parsed names, in the answer's order. */
  readonly stamps: readonly Stamp[];
  /** Every null belongs to a sleeping service, every name comes from the backend, and every state fits its version. */
  readonly sound: boolean;
  /** Services whose pipes cannot be read because they sleep. */
  readonly asleep: number;
  /** The longest wait of a call for its slot, in milliseconds, if the server reports it. */
  readonly waited: number | undefined;
}

/** The members of an answer or a part; each may be missing or have any type. */
export interface Payload {
  readonly data?: unknown;
  readonly errors?: readonly Failure[];
  readonly incremental?: readonly Payload[];
  readonly extensions?: { readonly upstream?: readonly { readonly waitedMilliseconds: number }[] };
  readonly hasNext?: boolean;
}
interface Failure {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

/** By Sluice's code, or by the status in another server's message. */
const tellsSleep = ({ message, extensions }: Failure): boolean =>
  extensions?.code === 'SERVICE_NOT_RUNNING' || /\b424\b/.test(message);

export const readPayload = (payload: Payload): Shown => {
  const stamps: Stamp[] = [];
  let named = true;
  let nulls = 0;
  const visit = (value: unknown): void => {
    if (value === null) nulls += 1;
    if (typeof value !== 'object' || value === null) return;
    if ('name' in value) {
      const stamp = readName(value.name);
      if (stamp) stamps.push(stamp);
      const isPipe = stamp?.thing.startsWith('pipe ') && 'state' in value;
      if (!stamp || (isPipe && value.state !== stateOf(stamp.version))) named = false;
    }
    for (const member of Object.values(value)) visit(member);
  };
  const { incremental = [], extensions } = payload;
  // The last part of an answer may be empty.
  visit('hasNext' in payload && payload.data === undefined ? {} : (payload.data ?? null));
  for (const { data } of incremental) visit(data ?? null);
  const errors = [payload, ...incremental].flatMap((each) => each.errors ?? []);
  const asleep = errors.filter(tellsSleep).length;
  const waits = extensions?.upstream?.map(({ waitedMilliseconds }) => waitedMilliseconds);
  return {
    stamps,
    sound: named && nulls === asleep && errors.length === asleep,
    asleep,
    waited: waits && Math.max(0, ...waits),
  };
};

const nothing: Shown = { stamps: [], sound: false, asleep: 0, waited: undefined };

/** Analyses an answer's text. A text that is not JSON shows nothing. */
export const readAnswer = (text: string): Shown => {
  try {
    return readPayload(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return nothing;
    throw error;
  }
};

/** Whether the answer has everything readable on the page, and no data of another caller. */
export const isWhole = (
  { stamps, sound, asleep }: Shown,
  { things, asleep: expected = 0 }: Page,
  caller: number,
): boolean =>
  sound &&
  asleep === expected &&
  stamps.length === things.length &&
  stamps.every((stamp, at) => stamp.thing === things[at] && stamp.caller === caller);
