-- Makes a note, unless there is one. Returns 1 if it was made, else 0.
-- KEYS: the era, the note. ARGV[3]: the process. ARGV[4]: how long the note is kept.
return run('SET', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[4]) and 1 or 0
