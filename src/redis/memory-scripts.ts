import type { Script } from './era-scripts.ts';

/**
 * Joins the values of so many keys, from the one after the last that was read. None says so as well: that they were
 * changed long ago is the same as never, since they outlast all that is kept.
 */
const joining = `
local at = 3
local function joined(count)
  local values = {}
  for index = 1, tonumber(count) do values[index] = redis.call('GET', KEYS[at + index]) or '-' end
  at = at + count
  return table.concat(values, ' ')
end
local function isUncertain()
  for index = at + 1, #KEYS do
    if tonumber(redis.call('GET', KEYS[index]) or 0) > now then return true end
  end
  return false
end
`;

/**
 * Keys: the entry, who reads it, the marks of changes, those of doubts, those of uncertain writes.
 * Arguments: how many marks of changes and of doubts; since when and how long it is fresh; marks and times of what the
 * process has itself; the process, and how long it is noted.
 */
export const lookScript: Script = `${joining}
local changes = joined(ARGV[2])
local doubts = joined(ARGV[3])
local uncertain = isUncertain()
local sentAt, readAt = -1, 0
if ARGV[6] == changes then sentAt, readAt = tonumber(ARGV[7]), tonumber(ARGV[8]) end
local entry = redis.call('HMGET', KEYS[2], 'changes', 'sentAt', 'readAt', 'doubts')
-- Times of two processes differ by what their clocks do. Under the same marks one answer is as good as the other.
local isNewer = entry[1] == changes and tonumber(entry[2]) > sentAt + 100
if isNewer then sentAt, readAt = tonumber(entry[2]), tonumber(entry[3]) end
local reader = ''
local isFresh = sentAt >= tonumber(ARGV[4]) and now - readAt <= tonumber(ARGV[5])
if not uncertain and not isFresh then
  redis.call('SET', KEYS[3], ARGV[9], 'NX', 'PX', ARGV[10])
  reader = redis.call('GET', KEYS[3])
end
local found = {}
if isNewer and not uncertain then
  found = { entry[2], entry[3], entry[4], redis.call('HGET', KEYS[2], 'sealed') }
end
return { changes, doubts, uncertain and 1 or 0, reader, found }
`;

/**
 * Keys: the entry, who reads it, the marks of changes, those of uncertain writes.
 * Arguments: how many marks of changes; the process; the marks that it was read under; its times, the sealed answer, and for
 * how long it is kept.
 */
export const keepScript: Script = `${joining}
local isCurrent = joined(ARGV[2]) == ARGV[4] and not isUncertain()
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
if not isCurrent then return 0 end
local known = redis.call('HMGET', KEYS[2], 'changes', 'sentAt')
if known[1] == ARGV[4] and tonumber(known[2]) >= tonumber(ARGV[6]) then return 0 end
redis.call('HSET', KEYS[2], 'changes', ARGV[4], 'doubts', ARGV[5], 'sentAt', ARGV[6], 'readAt', ARGV[7], 'sealed', ARGV[8])
redis.call('PEXPIRE', KEYS[2], ARGV[9])
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
