/** Milliseconds of `performance.now()` within which replicas go from sharing their limits to their own parts, or back. */
export interface Switch {
  readonly from: number;
  readonly to: number;
}

/** A time of the clock on the wall, as a log has it, as one of `performance.now()`. */
export const ofClock = (milliseconds: number): number => milliseconds - performance.timeOrigin;

/** The most calls that any window held which has a switch in it, and that any other held. */
export const mostCalls = (
  windowMs: number,
  times: readonly number[],
  switches: readonly Switch[],
) => {
  const windows = times.map((from) => {
    const to = from + windowMs;
    return {
      calls: times.filter((at) => at >= from && at < to).length,
      hasSwitch: switches.some((each) => each.from < to && each.to >= from),
    };
  });
  const most = (hasSwitch: boolean): number =>
    Math.max(
      0,
      ...windows.filter((each) => each.hasSwitch === hasSwitch).map(({ calls }) => calls),
    );
  return { withSwitch: most(true), withoutSwitch: most(false) };
};
