/**
 * Converts times between Redis' clock and `performance.now()`. The difference is measured with each beat, and lies between
 * two values, since it is not known when in between Redis has looked at its clock.
 */
export const createRedisClock = () => {
  let offset = { atReply: 0, atRequest: 0 };
  return {
    /** Notes the time in a reply of Redis, and when it was asked and has answered. */
    measure: (redisMs: number, asked: number, answered: number): void => {
      offset = { atReply: redisMs - answered, atRequest: redisMs - asked };
    },
    /** Rather too early than too late. */
    toRedis: (localMs: number): number => localMs + offset.atReply,
    earliest: (redisMs: number): number => redisMs - offset.atRequest,
    latest: (redisMs: number): number => redisMs - offset.atReply,
  };
};
