-- Returns the era and the time. If the era has ended, the offered one begins. The script writes, so that it fails if
-- Redis is full.
-- ARGV[3]: the offered id. ARGV[4]: the run id of this Redis.
-- The value has the id, the time of the era's beginning, an empty word for earlier versions, the run id, and the time
-- of this call.
local id, born, _, runId, last = string.match(kept, '^(%S+) (%S+) ?(%S*) ?(%S*) ?(%S*)')
local isLost = not tonumber(born)
-- Another run id means that a replica was promoted, or that Redis was started from a file. It may lack the last writes.
local isOther = not isLost and runId ~= '' and runId ~= ARGV[4]
-- Redis' clock was set back, so old answers would seem new.
local isEarlier = not isLost and now < number(last) - 1000
if isLost or isOther or isEarlier then id, born = ARGV[3], now end
run('SET', KEYS[1], string.format('%s %.0f  %s %.0f', id, born, ARGV[4], now), 'PX', ARGV[2])
return { id, string.format('%.0f', born), now }
