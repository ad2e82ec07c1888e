/**
 * Converts times between Redis' clock and `performance.now()`. The difference is measured with each beat. It is known
 * only within bounds, since Redis reads its clock at some time between request and reply.
 */
export const createRedisClock = () => {
  let offset = { atReply: 0, atRequest: 0 };
  return {
    /** Notes the time in a reply of Redis, and when the request was sent and the reply came. */
    measure: (redisMs: number, asked: number, answered: number): void => {
      offset = { atReply: redisMs - answered, atRequest: redisMs - asked };
    },
    /** Rather too early than too late, like `earliest`. */
    toRedis: (localMs: number): number => localMs + offset.atReply,
    earliest: (redisMs: number): number => redisMs - offset.atRequest,
    latest: (redisMs: number): number => redisMs - offset.atReply,
  };
};
