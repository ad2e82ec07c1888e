-- A process reads some reads no longer.
-- KEYS: the era, the readers of the reads. ARGV[3]: the process.
for index = 2, #KEYS do
  if run('GET', KEYS[index]) == ARGV[3] then run('DEL', KEYS[index]) end
end
return 0
