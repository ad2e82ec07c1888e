-- Joins the era and the marks of changes, which begin at KEYS[first], into one text. Returns it, and how much longer a write
-- is uncertain.
local function marksFrom(first, count, longestUncertain)
  local found = run('MGET', unpack(KEYS, first))
  local marks, uncertainMs = { era }, 0
  -- A missing mark counts as one value: an old change is the same as no change, since marks outlast all kept answers.
  for index = 1, count do marks[index + 1] = found[index] or '-' end
  for index = count + 1, #KEYS - first + 1 do
    local left = number(found[index]) - now
    if left <= longestUncertain then uncertainMs = math.max(uncertainMs, left) end
  end
  return table.concat(marks, ' '), uncertainMs
end
