/**
 * A Lua script. Its keys begin at `KEYS[2]` and its arguments at `ARGV[2]`. `now` is Redis' time in milliseconds, and
 * `id` the era.
 */
export type Script = string;

/** The era expires after this time without any gateway, in milliseconds. */
const eraKeptMs = 86_400_000;
/** How far Redis' clock may move between two beats, in milliseconds. */
export const toleranceMs = 1000;
/** How long after a jump of the clock all processes have reported their calls again, in milliseconds: two beats, and a reserve. */
export const settlingMs = 2500;

const prelude = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A value of another program is of no use, and must not make the script fail.
local found = redis.pcall('GET', KEYS[1])
local value = type(found) == 'string' and found or ''
`;

/** A function for scripts: the number in a text; 0 if there is none, or one of no use for a time or a size. */
export const numberIn: Script = `
local function numberIn(text)
  local number = tonumber(text)
  return number and number > 0 and number < 2 ^ 53 and number or 0
end
`;

/**
 * Returns the era, or begins the offered one. The script writes, so that it fails if Redis is full, or is a replica.
 *
 * Arguments: the offered id; the era that ends because the clock has jumped, or ''; by how much it has jumped; the run id
 * of this Redis. The next era keeps the age of the ended one. Its value has the id, the time of its beginning, the time until
 * which no slot may be taken or '', and the run id, which earlier versions of the gateway do not write.
 */
export const beatScript: Script = `${prelude}
local id, born, settled, runId = string.match(value, '^(%S+) (%S+) ?(%S*) ?(%S*)')
-- Another run id: a replica that was promoted, or a start from a file. The last writes may be lost.
if not tonumber(born) or runId ~= '' and runId ~= ARGV[4] then id, born, settled = ARGV[1], now, '' end
if id == ARGV[2] then
  id, born, settled = ARGV[1], born + ARGV[3], string.format('%.0f', now + ${settlingMs})
end
value = string.format('%s %.0f %s %s', id, born, settled, ARGV[4])
redis.call('SET', KEYS[1], value, 'PX', ${eraKeptMs})
return { value, now }
`;

/**
 * Makes a script fail if Redis has become a replica, if it is in another era than the first argument names, or if Redis'
 * time is outside the two times of that argument: nothing may be decided by a clock that has jumped.
 */
export const checked = (script: Script): Script => `${prelude}
if string.find(redis.call('INFO', 'replication'), 'role:slave', 1, true) then
  return redis.error_reply('READONLY replica')
end
local id, earliest, latest = string.match(ARGV[1], '^(%S+) (%S+) (%S+)')
local current, _, settled = string.match(value, '^(%S+) (%S+) ?(%S*)')
if current ~= id then
  local jumped = (tonumber(settled) or 0) > now
  return redis.error_reply(jumped and 'CLOCK has jumped' or 'ERA is another')
end
local types = { read = 'hash', shelf = 'zset', slots = 'zset' }
for index = 2, #KEYS do
  local found, kind = redis.call('TYPE', KEYS[index]).ok, string.match(KEYS[index], '^{sluice}:(%a+)')
  if found ~= 'none' and found ~= (types[kind] or 'string') then redis.call('DEL', KEYS[index]) end
end
if now < tonumber(earliest) or now > tonumber(latest) then return redis.error_reply('CLOCK has jumped') end
${script}`;
