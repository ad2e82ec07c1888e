-- Runs before each script. All times are in milliseconds.
-- KEYS[1]: the era. ARGV[1]: the id of the era in which the script may run, or '' for any.
-- ARGV[2]: how long the era is kept.

-- Runs a command. Returns false for a value of another type, which another program has written: it counts as missing.
local function run(command, ...)
  local reply = redis.pcall(command, ...)
  local fault = type(reply) == 'table' and reply.err
  if not fault then return reply end
  if string.find(fault, 'WRONGTYPE', 1, true) then return false end
  -- Redis names the command only from version 7.2 on.
  if string.find(fault, 'NOPERM', 1, true) or string.find(fault, "executing the script can't", 1, true) then
    fault = 'NOPERM ' .. string.lower(command)
  end
  return error(fault, 0)
end

local time = run('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The number in a text; 0 if there is none, or if it is of no use as a time or a size.
local function number(text)
  local found = tonumber(text)
  return found and found > 0 and found < 2 ^ 53 and found or 0
end

local kept = run('GET', KEYS[1]) or ''
local era = string.match(kept, '^%S+') or ''
if ARGV[1] ~= '' and ARGV[1] ~= era then return redis.error_reply('ERA is another') end

-- Joins the era and the marks of changes, which begin at KEYS[first], into one text. Returns the text, and for how much
-- longer a write is uncertain.
local function marksFrom(first, count, longestUncertain)
  local found = run('MGET', unpack(KEYS, first))
  local marks, uncertainMs = { era }, 0
  -- A missing mark means no change, or an old one: marks outlast all kept answers, so both are the same.
  for index = 1, count do marks[index + 1] = found[index] or '-' end
  for index = count + 1, #KEYS - first + 1 do
    local left = number(found[index]) - now
    if left <= longestUncertain then uncertainMs = math.max(uncertainMs, left) end
  end
  return table.concat(marks, ' '), uncertainMs
end
