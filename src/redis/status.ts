export type RedisState = 'up' | 'down';

/** Why Redis is down, or is about to lose data. */
export interface RedisProblem {
  /** A reason of `RedisUnavailable`, or a setting of Redis such as `maxmemory-policy allkeys-lru`. */
  readonly reason: string;
  /** An ISO time. */
  readonly since: string;
}

/** Reports each change of Redis' state, and repeats a problem from time to time. */
export const createRedisStatus = (
  onChange: (state: RedisState, problem: RedisProblem | undefined) => void,
  remindMs: number,
) => {
  let reported: RedisState | undefined;
  let reportedAt = -Infinity;
  let problem: RedisProblem | undefined;
  let isClosed = false;
  return {
    get isUnknown() {
      return reported === undefined;
    },
    get problem() {
      return problem;
    },
    report: (state: RedisState, reason: string | undefined): void => {
      if (isClosed) return;
      const isOther = state === 'up' && reason !== problem?.reason;
      const isNew = state !== reported || isOther;
      const isDue = reason !== undefined && performance.now() >= reportedAt + remindMs;
      const since = isNew || !problem ? new Date().toISOString() : problem.since;
      problem = reason === undefined ? undefined : { reason, since };
      reported = state;
      if (!isNew && !isDue) return;
      reportedAt = performance.now();
      onChange(state, problem);
    },
    close: (): void => {
      isClosed = true;
    },
  };
};
