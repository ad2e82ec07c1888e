-- Looks a read up, and notes the process as its reader if no other process is.
-- KEYS: the era, the entry, its reader, the marks of changes, the marks of uncertain writes.
-- ARGV[3]: the number of marks of changes. ARGV[4]: the longest time for which a write is uncertain.
-- ARGV[5]: the greatest age of an answer.
-- ARGV[6], ARGV[7]: when a fresh answer was sent at the earliest, and its greatest age.
-- ARGV[8], ARGV[9], ARGV[10]: the marks of this process's own answer, when it was sent, and when it was read.
-- ARGV[11], ARGV[12]: the process, and how long it counts as the reader.
-- ARGV[13]: how long ago another process may have begun to read and still count as the reader.
local marks, uncertainMs = marksFrom(4, tonumber(ARGV[3]), tonumber(ARGV[4]))
local sentAt, readAt = -1, 0
if ARGV[8] == marks then sentAt, readAt = tonumber(ARGV[9]), tonumber(ARGV[10]) end

local entry = run('HMGET', KEYS[2], 'marks', 'sentAt', 'readAt') or {}
local age = now - number(entry[3])
-- Clocks of two processes differ a little, so a slightly newer answer is no better. Under the same marks either is
-- good.
local isNewer = entry[1] == marks and number(entry[2]) > sentAt + 100 and age >= 0 and age <= tonumber(ARGV[5])
if isNewer then sentAt, readAt = number(entry[2]), number(entry[3]) end

local process, reader = ARGV[11], ''
local isFresh = sentAt >= tonumber(ARGV[6]) and now - readAt <= tonumber(ARGV[7])
if uncertainMs == 0 and not isFresh then
  -- If Redis is full, no reader is noted, and no process waits for another.
  local noted = redis.pcall('SET', KEYS[3], process, 'NX', 'PX', ARGV[12])
  if noted then
    reader = noted.ok and process or ''
  else
    local begun = tonumber(ARGV[12]) - run('PTTL', KEYS[3])
    reader = run('GET', KEYS[3]) or ''
    if reader ~= process and (begun < 0 or begun > tonumber(ARGV[13])) then reader = '' end
  end
end

-- This write fails if Redis has become a replica, which may lack the latest changes. It comes after all other commands:
-- once a script has written, Redis no longer refuses its commands for lack of memory.
run('PEXPIRE', KEYS[1], ARGV[2])
local found = {}
if isNewer and uncertainMs == 0 then found = { entry[2], entry[3], run('HGET', KEYS[2], 'sealed') } end
return { marks, uncertainMs, reader, found }
