-- Returns how many names exist.
-- KEYS: the era, the names that exist while answers of a credential are kept.
return run('EXISTS', unpack(KEYS, 2))
