import type { RedisConnection } from './connection.ts';
import type { Script } from './era-scripts.ts';

/** The state of a slot for Redis: under way, not in use, or the milliseconds until it is free. */
export type SlotState = 'under way' | 'gone' | number;

export interface ToldSlot {
  readonly id: string;
  readonly state: SlotState;
}

interface Asking {
  /** The names of a credential's slots and of its hold. */
  readonly names: readonly string[];
  readonly calls: number;
  /** After how long a slot under way is free if its process tells nothing more, in milliseconds. */
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
  readonly told: readonly ToldSlot[];
}

/** Slots in use, by their ids, with the milliseconds until each is free; undefined while its call is under way. */
export type SlotTimes = ReadonlyMap<string, number | undefined>;

interface Reply {
  readonly isTaken: boolean;
  readonly heldMs: number;
  readonly slots: SlotTimes;
}

/**
 * The slots of one credential, in a sorted set by the time at which each is free. The name of a slot under way begins
 * with `u`. Both keys expire with the last time that they hold.
 */
const script: Script = `
local slots, hold = KEYS[2], KEYS[3]
local calls, longest, id, reserve = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local holdMs, left, leftMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
for i = 9, #ARGV, 2 do
  local told, state = ARGV[i], ARGV[i + 1]
  redis.call('ZREM', slots, told, 'u' .. told)
  if state == 'under way' then redis.call('ZADD', slots, now + longest, 'u' .. told)
  elseif state ~= 'gone' then redis.call('ZADD', slots, now + tonumber(state), told) end
end
if left then
  for i = redis.call('ZCARD', slots) + left + 1, calls do
    redis.call('ZADD', slots, now + leftMs, id .. ':' .. i)
  end
end
local heldUntil = tonumber(redis.call('GET', hold) or '0')
if holdMs > 0 and now + holdMs > heldUntil then
  heldUntil = now + holdMs
  redis.call('SET', hold, heldUntil, 'PX', holdMs)
end
local taken = 0
if reserve and heldUntil <= now and calls - redis.call('ZCARD', slots) > reserve then
  redis.call('ZADD', slots, now + longest, 'u' .. id)
  taken = 1
end
local all = redis.call('ZRANGE', slots, 0, -1, 'WITHSCORES')
if #all > 0 then redis.call('PEXPIRE', slots, all[#all] - now + 1) end
return { taken, now, heldUntil - now, all }
`;

const listOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

const readReply = (reply: unknown): Reply => {
  const [taken, now, heldMs, all] = listOf(reply);
  const slots = new Map<string, number | undefined>();
  const items = listOf(all).map(String);
  for (let index = 0; index < items.length; index += 2) {
    const [name = '', freeAt] = items.slice(index, index + 2);
    if (name.startsWith('u')) slots.set(name.slice(1), undefined);
    else slots.set(name, Number(freeAt) - Number(now));
  }
  return { isTaken: Number(taken) === 1, heldMs: Number(heldMs), slots };
};

/** Tells Redis the states of slots, takes a slot if one is wanted and free, and returns all slots in use. */
export const askForSlots = async (
  run: RedisConnection['run'],
  { names, calls, longestMs, id, reserve, holdMs, left, told }: Asking,
): Promise<Reply> => {
  const reply = await run(script, names, [
    ...[calls, longestMs, id, reserve ?? ''],
    ...[Math.ceil(holdMs), left?.calls ?? '', Math.ceil(left?.forMs ?? 0)],
    ...told.flatMap(({ id, state }) => [id, typeof state === 'number' ? Math.ceil(state) : state]),
  ]);
  return readReply(reply);
};
