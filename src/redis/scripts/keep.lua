-- Keeps an answer for the other processes, if its marks are still the present ones. The process is no longer the
-- reader.
-- KEYS: the era, the entry, its reader, the shelf of its credential, the number of bytes on the shelf, the marks of
-- changes, the marks of uncertain writes. The shelf lists the names and sizes of entries, by the times at which they
-- expire.
-- ARGV[3]: the number of marks of changes. ARGV[4]: the longest time for which a write is uncertain.
-- ARGV[5]: the process.
-- ARGV[6], ARGV[7], ARGV[8], ARGV[9]: the marks of the answer, when it was sent, when it was read, and the sealed
-- answer, which is empty if there is no room for it.
-- ARGV[10], ARGV[11]: how long answers and marks are kept.
-- ARGV[12]: the bytes that an answer takes besides its text. ARGV[13]: the most bytes of one credential.
-- From ARGV[14] on: the names that exist while answers of the credential are kept.
local marks, uncertainMs = marksFrom(6, tonumber(ARGV[3]), tonumber(ARGV[4]))
local entry, shelf, held = KEYS[2], KEYS[4], KEYS[5]
local sentAt, sealed, answersKept, marksKept = tonumber(ARGV[7]), ARGV[9], tonumber(ARGV[10]), ARGV[11]
local beside, share = tonumber(ARGV[12]), tonumber(ARGV[13])
if run('GET', KEYS[3]) == ARGV[5] then run('DEL', KEYS[3]) end
if marks ~= ARGV[6] or uncertainMs > 0 then return 0 end
local known = run('HMGET', entry, 'marks', 'sentAt') or {}
local knownAt = number(known[2])
if known[1] == marks and knownAt >= sentAt and knownAt <= now then return 0 end

local expired = run('ZRANGEBYSCORE', shelf, '-inf', now)
if not expired then run('DEL', shelf) end
-- The size is kept for longer than the shelf, since it also tells for which credentials changes are announced.
local total = run('EXISTS', shelf) == 1 and number(run('GET', held)) or 0
local function remove(member)
  local isThere = run('ZREM', shelf, member) == 1
  if isThere then total = total - number(string.match(member, '%d+$')) end
end
for _, member in ipairs(expired or {}) do remove(member) end
remove(entry .. ' ' .. ((run('HSTRLEN', entry, 'sealed') or 0) + beside))
run('DEL', entry)

local size = #sealed + beside
if #sealed > 0 and size <= share then
  local oldest = run('ZRANGE', shelf, 0, 0)[1]
  while oldest and total + size > share do
    run('DEL', string.match(oldest, '^%S*'))
    remove(oldest)
    oldest = run('ZRANGE', shelf, 0, 0)[1]
  end
  run('HSET', entry, 'marks', marks, 'sentAt', ARGV[7], 'readAt', ARGV[8], 'sealed', sealed)
  run('PEXPIRE', entry, answersKept)
  run('ZADD', shelf, now + answersKept, entry .. ' ' .. size)
  run('PEXPIRE', shelf, answersKept)
  total = total + size
end
-- Set even if nothing is kept here, since processes keep answers in their own memory; see held.lua.
redis.pcall('SET', held, string.format('%.0f', total), 'PX', marksKept)
for index = 14, #ARGV do
  -- With two secrets, these are the sizes of shelves that other processes use.
  if run('PEXPIRE', ARGV[index], marksKept) == 0 then redis.pcall('SET', ARGV[index], '0', 'PX', marksKept) end
end
return 1
