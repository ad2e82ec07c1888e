import type { Script } from './era-scripts.ts';
import { answersKeptMs, marksKeptMs, uncertainMs } from './lifetimes.ts';

/**
 * Joins the era and the marks of changes, and looks whether a write is uncertain. A missing mark says so as well: a change
 * of long ago is the same as none, since marks outlast all that is kept.
 *
 * @param before how many keys there are before the marks
 */
const marking = (before: number): string => `
local count = tonumber(ARGV[2])
local values = {}
for index = 1, count do values[index] = redis.call('GET', KEYS[${before} + index]) or '-' end
local marks = id .. ' ' .. table.concat(values, ' ')
local uncertain = false
for index = ${before} + 1 + count, #KEYS do
  local left = tonumber(redis.call('GET', KEYS[index]) or 0) - now
  if left > 0 and left <= ${uncertainMs} then uncertain = true end
end
`;

/**
 * Keys: the entry, who reads it, the marks of changes, those of uncertain writes.
 * Arguments: how many marks of changes; since when and how long it is fresh; marks and times of what the process has
 * itself; the process, and how long it is noted; how long ago another may have been.
 */
export const lookScript: Script = `${marking(3)}
local sentAt, readAt = -1, 0
if ARGV[5] == marks then sentAt, readAt = tonumber(ARGV[6]), tonumber(ARGV[7]) end
local entry = redis.call('HMGET', KEYS[2], 'marks', 'sentAt', 'readAt')
-- Times of two processes differ by what their clocks do. Under the same marks one answer is as good as the other.
local isNewer = entry[1] == marks and tonumber(entry[2]) > sentAt + 100
local age = now - tonumber(entry[3] or 0)
if age < 0 or age > ${answersKeptMs} then isNewer = false end
if isNewer then sentAt, readAt = tonumber(entry[2]), tonumber(entry[3]) end
local reader = ''
local isFresh = sentAt >= tonumber(ARGV[3]) and now - readAt <= tonumber(ARGV[4])
if not uncertain and not isFresh then
  -- Where there is no room for it, nobody waits for anybody.
  redis.pcall('SET', KEYS[3], ARGV[8], 'NX', 'PX', ARGV[9])
  reader = redis.call('GET', KEYS[3]) or ''
  local begun = tonumber(ARGV[9]) - redis.call('PTTL', KEYS[3])
  if reader ~= ARGV[8] and begun > tonumber(ARGV[10]) then reader = '' end
end
local found = {}
if isNewer and not uncertain then
  found = { entry[2], entry[3], redis.call('HGET', KEYS[2], 'sealed') }
end
return { marks, uncertain and 1 or 0, reader, found }
`;

/** How many bytes of answers one credential may have in Redis, where that has room. */
const largestShare = 16 * 1024 * 1024;
/** What keeping an answer costs beside it, in bytes. */
const bytesBeside = 1000;

/**
 * Keys: the entry, who reads it, the shelf of its credential and how many bytes are on it, the marks of changes, those of
 * uncertain writes. The shelf has the names of entries with their sizes, by the times at which they expire.
 * Arguments: how many marks of changes; the process; the marks that it was read under; its times, and the sealed answer, which
 * is empty where it is too large.
 *
 * Slots and marks need room at any time, so a quarter of Redis' memory is left to them.
 */
export const keepScript: Script = `${marking(5)}
local shelf, held, sealed = KEYS[4], KEYS[5], ARGV[7]
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
if marks ~= ARGV[4] or uncertain then return 0 end
local known = redis.call('HMGET', KEYS[2], 'marks', 'sentAt')
if known[1] == marks and tonumber(known[2]) >= tonumber(ARGV[5]) then return 0 end

local total = tonumber(redis.call('GET', held) or 0)
local function remove(member)
  local isThere = redis.call('ZREM', shelf, member) == 1
  if isThere then total = total - tonumber(string.match(member, '%d+$')) end
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', shelf, '-inf', now)) do remove(member) end
remove(KEYS[2] .. ' ' .. (redis.call('HSTRLEN', KEYS[2], 'sealed') + ${bytesBeside}))
redis.call('DEL', KEYS[2])

local size, share, isFull = #sealed + ${bytesBeside}, ${largestShare}, false
local info = redis.pcall('INFO', 'memory')
if type(info) == 'string' then
  local used, most = tonumber(string.match(info, 'used_memory:(%d+)')), tonumber(string.match(info, 'maxmemory:(%d+)'))
  if most > 0 then share, isFull = math.min(share, most / 16), used + size > most * 3 / 4 end
end
if #sealed > 0 and size <= share and not isFull then
  local oldest = redis.call('ZRANGE', shelf, 0, 0)[1]
  while oldest and total + size > share do
    redis.call('DEL', string.match(oldest, '^%S+'))
    remove(oldest)
    oldest = redis.call('ZRANGE', shelf, 0, 0)[1]
  end
  redis.call('HSET', KEYS[2], 'marks', marks, 'sentAt', ARGV[5], 'readAt', ARGV[6], 'sealed', sealed)
  redis.call('PEXPIRE', KEYS[2], ${answersKeptMs})
  redis.call('ZADD', shelf, now + ${answersKeptMs}, KEYS[2] .. ' ' .. size)
  redis.call('PEXPIRE', shelf, ${answersKeptMs})
  total = total + size
end
-- It stays where nothing was kept here: the processes have something.
redis.pcall('SET', held, string.format('%.0f', total), 'PX', ${marksKeptMs})
return 1
`;

/** Key: how many bytes a credential has. */
export const hasScript: Script = `return redis.call('EXISTS', KEYS[2])`;

/** Keys: who reads each of some reads. Argument: the process. */
export const releaseScript: Script = `
for index = 2, #KEYS do
  if redis.call('GET', KEYS[index]) == ARGV[2] then redis.call('DEL', KEYS[index]) end
end
return 0
`;

/**
 * Keys: marks, then marks of uncertain writes. Arguments: how many of the first; their new value, and how long they are kept;
 * for each of the others, how many milliseconds it is left.
 */
export const tellScript: Script = `
local count = tonumber(ARGV[2])
for index = 1, count do redis.call('SET', KEYS[1 + index], ARGV[3], 'PX', ARGV[4]) end
for index = 1, #KEYS - 1 - count do
  local left = ARGV[4 + index]
  redis.call('SET', KEYS[1 + count + index], string.format('%.0f', now + left), 'PX', left)
end
return 0
`;
