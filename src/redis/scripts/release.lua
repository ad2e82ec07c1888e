-- Notes that a process no longer reads something.
-- KEYS: the era, the reader. ARGV[3]: the process.
if run('GET', KEYS[2]) == ARGV[3] then run('DEL', KEYS[2]) end
return 0
