/** A Lua script. Its own keys begin at `KEYS[2]` and its arguments at `ARGV[2]`; `now` has Redis' milliseconds. */
export type Script = string;

/** It goes once no gateway has asked for it so long, in milliseconds. */
const eraKeptMs = 86_400_000;

const prelude = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Gives the era, or begins the one that is offered. It writes, so that it fails where Redis takes nothing more. */
export const beatScript: Script = `${prelude}
local era = redis.call('GET', KEYS[1]) or (ARGV[1] .. ' ' .. now)
redis.call('SET', KEYS[1], era, 'PX', ${eraKeptMs})
return { era, now }
`;

/** The same script, which fails where Redis holds another era than its first argument names. */
export const checked = (script: Script): Script => `${prelude}
local era = redis.call('GET', KEYS[1])
if not era or string.sub(era, 1, #ARGV[1]) ~= ARGV[1] then return redis.error_reply('ERA is another') end
${script}`;
