import type { Run } from './connection.ts';

/** The state of a slot for Redis: under way, not in use, or the milliseconds until it is free. */
export type SlotState = 'under way' | 'gone' | number;

export interface ReportedSlot {
  readonly id: string;
  readonly state: SlotState;
}

interface SlotMessage {
  /** The names of a credential's slots and of its hold, one of each for each secret. */
  readonly slots: readonly string[];
  readonly holds: readonly string[];
  readonly calls: number;
  /** The longest time until a slot is free, in milliseconds: after it a slot under way is free if nothing more is reported of it. */
  readonly longestMs: number;
  /** The id of the slot to take, and the prefix of the slots that `left` adds. */
  readonly id: string;
  /** How many slots must stay free; undefined if no slot is to be taken. */
  readonly reserve: number | undefined;
  /** How long no call of the credential may be sent, in milliseconds; 0 for no hold. */
  readonly holdMs: number;
  /** What the upstream said: how many calls are left, and for how long. */
  readonly left: { readonly calls: number; readonly forMs: number } | undefined;
  /** The slots of this process whose state Redis may not know. */
  readonly reported: readonly ReportedSlot[];
}

/** Slots in use, by their ids, with the milliseconds until each is free; undefined while its call is under way. */
export type SlotTimes = ReadonlyMap<string, number | undefined>;

interface SlotReply {
  readonly isTaken: boolean;
  readonly heldMs: number;
  readonly slots: SlotTimes;
}

/** The longest hold that an upstream can ask for, in milliseconds. */
const longestHoldMs = 300_000;

const listOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

const readReply = (reply: unknown): SlotReply => {
  const [taken, heldMs, all] = listOf(reply);
  const slots = new Map<string, number | undefined>();
  const items = listOf(all).map(String);
  for (let index = 0; index < items.length; index += 2) {
    const [name = '', freeMs] = items.slice(index, index + 2);
    if (name.startsWith('u')) slots.set(name.slice(1), undefined);
    else slots.set(name, Number(freeMs));
  }
  return { isTaken: Number(taken) === 1, heldMs: Number(heldMs), slots };
};

/** Reports the states of slots to Redis, takes a slot if one is wanted and free, and returns all slots in use. */
export const sendSlotMessage = async (run: Run, message: SlotMessage): Promise<SlotReply> => {
  const { slots, holds, calls, longestMs, id, reserve, holdMs, left, reported } = message;
  const reply = await run(
    'slots',
    [...slots, ...holds],
    [
      ...[calls, longestMs, longestHoldMs, id, reserve ?? ''],
      ...[Math.ceil(holdMs), left?.calls ?? '', Math.ceil(left?.forMs ?? 0)],
      ...reported.flatMap(({ id, state }) => [
        id,
        typeof state === 'number' ? Math.ceil(state) : state,
      ]),
    ],
  );
  return readReply(reply);
};
