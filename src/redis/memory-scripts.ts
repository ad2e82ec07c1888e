import { numberIn, type Script } from './era-scripts.ts';
import { answersKeptMs, marksKeptMs, uncertainMs } from './lifetimes.ts';

/**
 * Joins the era and the marks of changes into one text, and finds how long a write stays uncertain. A missing mark counts
 * as one value: an old change is the same as no change, since marks outlast all kept answers.
 *
 * @param before how many keys there are before the marks
 */
const marking = (before: number): string => `${numberIn}
local count = tonumber(ARGV[2])
local values = {}
for index = 1, count do values[index] = redis.call('GET', KEYS[${before} + index]) or '-' end
local marks = id .. ' ' .. table.concat(values, ' ')
local uncertainMs = 0
for index = ${before} + 1 + count, #KEYS do
  local left = numberIn(redis.call('GET', KEYS[index])) - now
  if left <= ${uncertainMs} then uncertainMs = math.max(uncertainMs, left) end
end
`;

/**
 * Keys: the entry, its reader, the marks of changes, the marks of uncertain writes.
 * Arguments: the number of marks of changes; the earliest time of sending and the longest age of a fresh answer; the
 * marks and the times of this process's own answer; this process, and how long it stays noted as the reader; how long
 * ago another reader may have begun.
 */
export const lookScript: Script = `${marking(3)}
local sentAt, readAt = -1, 0
if ARGV[5] == marks then sentAt, readAt = tonumber(ARGV[6]), tonumber(ARGV[7]) end
local entry = redis.call('HMGET', KEYS[2], 'marks', 'sentAt', 'readAt')
-- The clocks of two processes differ a little. Under the same marks either answer is good.
local isNewer = entry[1] == marks and numberIn(entry[2]) > sentAt + 100
local age = now - numberIn(entry[3])
if age < 0 or age > ${answersKeptMs} then isNewer = false end
if isNewer then sentAt, readAt = numberIn(entry[2]), numberIn(entry[3]) end
local reader = ''
local isFresh = sentAt >= tonumber(ARGV[3]) and now - readAt <= tonumber(ARGV[4])
if uncertainMs == 0 and not isFresh then
  -- If Redis is full, no reader is noted, and no process waits for another.
  redis.pcall('SET', KEYS[3], ARGV[8], 'NX', 'PX', ARGV[9])
  reader = redis.call('GET', KEYS[3]) or ''
  local begun = tonumber(ARGV[9]) - redis.call('PTTL', KEYS[3])
  if reader ~= ARGV[8] and begun > tonumber(ARGV[10]) then reader = '' end
end
local found = {}
if isNewer and uncertainMs == 0 then
  found = { entry[2], entry[3], redis.call('HGET', KEYS[2], 'sealed') }
end
return { marks, uncertainMs, reader, found }
`;

/** How many bytes of answers one credential may have in Redis, if there is room. */
const largestShare = 16 * 1024 * 1024;
/** The bytes that a kept answer takes besides its text. */
const bytesBeside = 1000;

/**
 * Keys: the entry, its reader, the shelf of its credential, the number of bytes on the shelf, the marks of changes, the
 * marks of uncertain writes. The shelf lists the names and sizes of entries, by the times at which they expire.
 * Arguments: the number of marks of changes; the process; the marks under which it was read; the times of the answer;
 * the sealed answer, which is empty if it is too large; the names that exist while answers of the credential are kept.
 *
 * A quarter of Redis' memory is left free, since slots and marks always need room.
 */
export const keepScript: Script = `${marking(5)}
local shelf, held, sealed = KEYS[4], KEYS[5], ARGV[7]
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
if marks ~= ARGV[4] or uncertainMs > 0 then return 0 end
local known = redis.call('HMGET', KEYS[2], 'marks', 'sentAt')
if known[1] == marks and numberIn(known[2]) >= tonumber(ARGV[5]) then return 0 end

-- The size is kept longer than the shelf, since changes are told for as long.
local total = redis.call('EXISTS', shelf) == 1 and numberIn(redis.call('GET', held)) or 0
local function remove(member)
  local isThere = redis.call('ZREM', shelf, member) == 1
  if isThere then total = total - numberIn(string.match(member, '%d+$')) end
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
    redis.call('DEL', string.match(oldest, '^%S*'))
    remove(oldest)
    oldest = redis.call('ZRANGE', shelf, 0, 0)[1]
  end
  redis.call('HSET', KEYS[2], 'marks', marks, 'sentAt', ARGV[5], 'readAt', ARGV[6], 'sealed', sealed)
  redis.call('PEXPIRE', KEYS[2], ${answersKeptMs})
  redis.call('ZADD', shelf, now + ${answersKeptMs}, KEYS[2] .. ' ' .. size)
  redis.call('PEXPIRE', shelf, ${answersKeptMs})
  total = total + size
end
-- Set even if nothing was kept here, since the processes keep answers themselves; see hasScript.
redis.pcall('SET', held, string.format('%.0f', total), 'PX', ${marksKeptMs})
for index = 8, #ARGV do
  -- With two secrets these are the sizes of other processes' shelves.
  if redis.call('PEXPIRE', ARGV[index], ${marksKeptMs}) == 0 then
    redis.pcall('SET', ARGV[index], '0', 'PX', ${marksKeptMs})
  end
end
return 1
`;

/** Keys: the names that exist while answers of a credential are kept. */
export const hasScript: Script = `return redis.call('EXISTS', unpack(KEYS, 2))`;

/** Keys: the readers of some reads. Argument: the process. */
export const releaseScript: Script = `
for index = 2, #KEYS do
  if redis.call('GET', KEYS[index]) == ARGV[2] then redis.call('DEL', KEYS[index]) end
end
return 0
`;

/**
 * Keys: marks of changes, then marks of uncertain writes. Arguments: the number of marks of changes; their new value, and
 * how long they are kept; for each uncertain write, the milliseconds that it stays uncertain.
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
