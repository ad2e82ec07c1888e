-- Reports the states of slots, takes a slot if one is wanted and free, and returns all slots in use.
-- KEYS: the era; then the slots of a credential, in sorted sets by the time at which each is free, a set for each
-- secret; then its holds, one for each secret. A hold is the end of a pause that the upstream has asked for. A slot is in
-- all sets, and counts once: while the secret is changed, slots of a process with only one secret are only in that set.
-- The name of a slot under way begins with `u`.
-- ARGV[3]: the calls of the rate. ARGV[4]: the longest time until a slot is free. ARGV[5]: the longest pause.
-- ARGV[6]: an unused id, for the slot to take and for slots that only the upstream has counted.
-- ARGV[7]: how many slots must stay free; '' to take none. ARGV[8]: the length of a new pause, or 0.
-- ARGV[9], ARGV[10]: the upstream's own count, or '': how many calls are left, and for how long.
-- From ARGV[11] on, in pairs: the ids and the states of slots.
local calls, longest, reserve = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[7])
local id, holdMs, left = ARGV[6], tonumber(ARGV[8]), tonumber(ARGV[9])
local secrets = (#KEYS - 1) / 2
local sets, holds = { unpack(KEYS, 2, 1 + secrets) }, { unpack(KEYS, 2 + secrets) }

local slots, count, removed, added = {}, 0, {}, {}
local function remove(name)
  if slots[name] then slots[name], count = nil, count - 1 end
  removed[#removed + 1] = name
end
local function add(name, freeAt)
  if not slots[name] then count = count + 1 end
  slots[name] = freeAt
  added[#added + 1] = freeAt
  added[#added + 1] = name
end

for _, set in ipairs(sets) do
  local found, over = run('ZRANGE', set, 0, -1, 'WITHSCORES'), {}
  if not found then run('DEL', set) end
  for index = 1, #(found or {}), 2 do
    local name, freeAt = found[index], tonumber(found[index + 1])
    if freeAt <= now or freeAt > now + longest then
      over[#over + 1] = name
    else
      if not slots[name] then count = count + 1 end
      slots[name] = freeAt
    end
  end
  if #over > 0 then run('ZREM', set, unpack(over)) end
end
for index = 11, #ARGV, 2 do
  local name, state = ARGV[index], ARGV[index + 1]
  remove(name)
  remove('u' .. name)
  if state == 'under way' then add('u' .. name, now + longest)
  elseif state ~= 'gone' then add(name, now + tonumber(state)) end
end
if left then
  for index = count + left + 1, calls do add(id .. ':' .. index, now + math.min(longest, tonumber(ARGV[10]))) end
end

local heldUntil = 0
for _, hold in ipairs(holds) do
  heldUntil = math.max(heldUntil, math.min(number(run('GET', hold)), now + tonumber(ARGV[5])))
end
if holdMs > 0 and now + holdMs > heldUntil then
  heldUntil = now + holdMs
  for _, hold in ipairs(holds) do run('SET', hold, heldUntil, 'PX', holdMs) end
end
local taken = 0
if reserve and heldUntil <= now and calls - count > reserve then
  add('u' .. id, now + longest)
  taken = 1
end

local last, all = now, {}
for name, freeAt in pairs(slots) do
  last = math.max(last, freeAt)
  all[#all + 1] = name
  all[#all + 1] = freeAt - now
end
for _, set in ipairs(sets) do
  if #removed > 0 then run('ZREM', set, unpack(removed)) end
  if #added > 0 then run('ZADD', set, unpack(added)) end
  run('PEXPIRE', set, math.ceil(last - now + 1))
end
return { taken, heldUntil - now, all }
