import { expect, it } from 'vitest';
import { describeRefusal, reasonOf } from '../../src/redis/unavailable.ts';

const missing = 'does not let this user run hset';

/** What several versions of Redis answer. */
it.each([
  ['ERR NOPERM hset script: 0824cfc4, on @user_script:1.', 'NOPERM hset', missing],
  ['ERR Error running script (call to f_08): @user_script:12: NOPERM hset', 'NOPERM hset', missing],
  ["NOPERM this user has no permissions to run the 'hset' command", 'NOPERM hset', missing],
  [
    "NOPERM User sluice has no permissions to run the 'client|setname' command",
    'NOPERM client|setname',
  ],
  [
    'NOPERM this user has no permissions to access one of the keys used as arguments',
    'NOPERM keys',
    'does not let this user use keys that begin with {sluice}:',
  ],
  [
    'ERR Error running script (call to f_08): @user_script:9: @user_script: 9: -OOM command not allowed',
    'OOM',
    undefined,
  ],
  [
    "ERR READONLY You can't write against a read only replica. script: 08, on @user_script:1.",
    'READONLY',
  ],
  ['a message with p4ssw0rd', 'Error', undefined],
])('an error of Redis, %j, is told as %s', (message, reason, ...sentence) => {
  expect(reasonOf(new Error(message))).toBe(reason);
  for (const each of sentence) expect(describeRefusal(reason)).toBe(each);
});
