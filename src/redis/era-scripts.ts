/**
 * A Lua script. Its own keys begin at `KEYS[2]` and its arguments at `ARGV[2]`; `now` has Redis' milliseconds, and `id` the
 * era.
 */
export type Script = string;

/** It goes once no gateway has asked for it so long, in milliseconds. */
const eraKeptMs = 86_400_000;
/** How far Redis' clock may move between two beats, in milliseconds. */
export const toleranceMs = 1000;
/** How long after a jump of the clock each process has told its calls again, in milliseconds: two beats, and some more. */
export const settlingMs = 2500;

const prelude = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Gives the era, or begins the one that is offered. It writes, so that it fails where Redis takes nothing more.
 *
 * Arguments: the id that is offered; the era that ends since the clock has jumped, if one does, and by how much. The next one
 * is as old as that, and no slot is to be taken in it until the third number.
 */
export const beatScript: Script = `${prelude}
local era = redis.call('GET', KEYS[1]) or (ARGV[1] .. ' ' .. now)
local id, born = string.match(era, '^(%S+) (%S+)')
if id == ARGV[2] then era = string.format('%s %.0f %.0f', ARGV[1], born + ARGV[3], now + ${settlingMs}) end
redis.call('SET', KEYS[1], era, 'PX', ${eraKeptMs})
return { era, now }
`;

/**
 * The same script, which fails where Redis holds another era than its first argument names, or where it is earlier or later
 * there than that says: nothing may be decided by a clock that has jumped.
 */
export const checked = (script: Script): Script => `${prelude}
local id, earliest, latest = string.match(ARGV[1], '^(%S+) (%S+) (%S+)')
local current, _, settled = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+) ?(%S*)')
if current ~= id then
  local jumped = (tonumber(settled) or 0) > now
  return redis.error_reply(jumped and 'CLOCK has jumped' or 'ERA is another')
end
local types = { read = 'hash', shelf = 'zset', slots = 'zset' }
for index = 2, #KEYS do
  -- What somebody else has written there is of no use, and is not to make the script fail.
  local found, kind = redis.call('TYPE', KEYS[index]).ok, string.match(KEYS[index], '^{sluice}:(%a+)')
  if found ~= 'none' and found ~= (types[kind] or 'string') then redis.call('DEL', KEYS[index]) end
end
if now < tonumber(earliest) or now > tonumber(latest) then return redis.error_reply('CLOCK has jumped') end
${script}`;
