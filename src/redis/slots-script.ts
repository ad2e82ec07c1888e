import type { RedisConnection } from './connection.ts';
import { numberIn, type Script } from './era-scripts.ts';

/** The state of a slot for Redis: under way, not in use, or the milliseconds until it is free. */
export type SlotState = 'under way' | 'gone' | number;

export interface ToldSlot {
  readonly id: string;
  readonly state: SlotState;
}

interface Asking {
  /** The names of a credential's slots and of its hold, one of each for each secret. */
  readonly slots: readonly string[];
  readonly holds: readonly string[];
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
 * with `u`. All keys expire with the last time that they hold.
 *
 * Keys: the sets, then the holds, one of each for each secret. A slot is in all sets, and counts once: while the secret
 * is changed, the slots of a process with one secret are only in its own set.
 */
const script: Script = `${numberIn}
local calls, longest, id, reserve = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local holdMs, left, leftMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local secrets = (#KEYS - 1) / 2
local sets, holds = { unpack(KEYS, 2, 1 + secrets) }, { unpack(KEYS, 2 + secrets) }
local function add(name, freeAt)
  for _, slots in ipairs(sets) do redis.call('ZADD', slots, freeAt, name) end
end
local function used()
  local count, known = 0, {}
  for _, slots in ipairs(sets) do
    for _, name in ipairs(redis.call('ZRANGE', slots, 0, -1)) do
      if not known[name] then count, known[name] = count + 1, true end
    end
  end
  return count
end
for _, slots in ipairs(sets) do
  redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
  for i = 9, #ARGV, 2 do redis.call('ZREM', slots, ARGV[i], 'u' .. ARGV[i]) end
end
for i = 9, #ARGV, 2 do
  local told, state = ARGV[i], ARGV[i + 1]
  if state == 'under way' then add('u' .. told, now + longest)
  elseif state ~= 'gone' then add(told, now + tonumber(state)) end
end
if left then
  for i = used() + left + 1, calls do add(id .. ':' .. i, now + leftMs) end
end
local heldUntil = 0
for _, hold in ipairs(holds) do
  heldUntil = math.max(heldUntil, numberIn(redis.call('GET', hold)))
end
if holdMs > 0 and now + holdMs > heldUntil then
  heldUntil = now + holdMs
  for _, hold in ipairs(holds) do redis.call('SET', hold, heldUntil, 'PX', holdMs) end
end
local taken = 0
if reserve and heldUntil <= now and calls - used() > reserve then
  add('u' .. id, now + longest)
  taken = 1
end
local all = {}
for _, slots in ipairs(sets) do
  local found = redis.call('ZRANGE', slots, 0, -1, 'WITHSCORES')
  local left = numberIn(found[#found]) - now + 1
  if #found > 0 then redis.call('PEXPIRE', slots, math.ceil(math.max(1, left))) end
  for _, each in ipairs(found) do all[#all + 1] = each end
end
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
  { slots, holds, calls, longestMs, id, reserve, holdMs, left, told }: Asking,
): Promise<Reply> => {
  const reply = await run(
    script,
    [...slots, ...holds],
    [
      ...[calls, longestMs, id, reserve ?? ''],
      ...[Math.ceil(holdMs), left?.calls ?? '', Math.ceil(left?.forMs ?? 0)],
      ...told.flatMap(({ id, state }) => [
        id,
        typeof state === 'number' ? Math.ceil(state) : state,
      ]),
    ],
  );
  return readReply(reply);
};
