import type { Script } from './era-scripts.ts';
import { answersKeptMs, uncertainMs } from './lifetimes.ts';

/**
 * Joins the era and the marks of changes, and looks whether a write is uncertain. A missing mark says so as well: a change of long ago
 * is the same as none, since marks outlast all that is kept.
 */
const marking = `
local count = tonumber(ARGV[2])
local values = {}
for index = 1, count do values[index] = redis.call('GET', KEYS[3 + index]) or '-' end
local marks = id .. ' ' .. table.concat(values, ' ')
local uncertain = false
for index = 4 + count, #KEYS do
  local left = tonumber(redis.call('GET', KEYS[index]) or 0) - now
  if left > 0 and left <= ${uncertainMs} then uncertain = true end
end
`;

/**
 * Keys: the entry, who reads it, the marks of changes, those of uncertain writes.
 * Arguments: how many marks of changes; since when and how long it is fresh; marks and times of what the process has
 * itself; the process, and how long it is noted.
 */
export const lookScript: Script = `${marking}
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
  redis.call('SET', KEYS[3], ARGV[8], 'NX', 'PX', ARGV[9])
  reader = redis.call('GET', KEYS[3])
end
local found = {}
if isNewer and not uncertain then
  found = { entry[2], entry[3], redis.call('HGET', KEYS[2], 'sealed') }
end
return { marks, uncertain and 1 or 0, reader, found }
`;

/**
 * Keys: the entry, who reads it, the marks of changes, those of uncertain writes.
 * Arguments: how many marks of changes; the process; the marks that it was read under; its times, the sealed answer, and for
 * how long it is kept.
 */
export const keepScript: Script = `${marking}
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
if marks ~= ARGV[4] or uncertain then return 0 end
local known = redis.call('HMGET', KEYS[2], 'marks', 'sentAt')
if known[1] == marks and tonumber(known[2]) >= tonumber(ARGV[5]) then return 0 end
redis.call('HSET', KEYS[2], 'marks', marks, 'sentAt', ARGV[5], 'readAt', ARGV[6], 'sealed', ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[8])
return 1
`;

/** Key: who reads it. Argument: the process. */
export const releaseScript: Script = `
if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
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
