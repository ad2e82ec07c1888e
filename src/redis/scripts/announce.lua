-- Announces changes.
-- KEYS: the era, the marks of changes, the marks of uncertain writes.
-- ARGV[3]: the number of marks of changes. ARGV[4], ARGV[5]: their new value, and how long they are kept.
-- From ARGV[6] on, for each uncertain write: for how much longer it is uncertain.
local count = tonumber(ARGV[3])
for index = 1, count do run('SET', KEYS[1 + index], ARGV[4], 'PX', ARGV[5]) end
for index = 6, #ARGV do
  local left = ARGV[index]
  run('SET', KEYS[count + index - 4], string.format('%.0f', now + left), 'PX', left)
end
return 0
