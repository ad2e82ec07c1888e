import type { Config } from '../../../src/config.ts';
import { type Answer, type Call, paced, type Stack, stackInTest } from '../harness.ts';
import { createBackend } from '../world/backend.ts';
import { withNames } from '../world/ids.ts';
import { worldOf } from '../world/worlds.ts';
import { stopTime } from './time.ts';

export const servicesPath = '/v1/organizations/organization-1/services';
export const pipesPath = (number: number): string => `${servicesPath}/service-${number}/pipes`;

/** A call received by the management interface. */
interface FleetCall {
  /** With names in place of identifiers; begins with the method if that is not GET. */
  readonly path: string;
  /** Whole seconds from the start to the call. */
  readonly second: number;
}

export interface FleetOptions {
  readonly services: number;
  readonly config?: Partial<Config>;
  /** Overrides the world's answer to a call if it returns one. */
  readonly answer?: (call: FleetCall) => Answer | undefined | Promise<Answer | undefined>;
}

/**
 * A gateway in front of an organization of many services with one pipe each, with the management interface's real rate
 * limit.
 */
export const startFleet = async ({ services, config, answer }: FleetOptions) => {
  const clock = stopTime();
  const none = { dashboards: 0, tilesPerDashboard: 0, alerts: 0 };
  const backend = createBackend(
    worldOf({ organizations: 1, services, pipesPerService: 1, ...none }),
  );
  const started = performance.now();
  const sent: FleetCall[] = [];
  const stack = await stackInTest({
    ...backend,
    management: async (call: Call) => {
      const path = withNames(call.path);
      const came: FleetCall = {
        path: call.method === 'GET' ? path : `${call.method} ${path}`,
        second: Math.floor((performance.now() - started) / 1000),
      };
      sent.push(came);
      return (await answer?.(came)) ?? backend.management(call);
    },
    config: { ...paced, ...config },
  });
  return {
    ...{ clock, stack, sent, started },
    query: (document: string, options?: Parameters<Stack['query']>[1]) =>
      clock.until(stack.query(document, options)),
    paths: () => sent.map(({ path }) => path),
    /** Advances the clock by this time, and lets all resulting events happen. */
    pass: (seconds: number) =>
      clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000))),
  };
};
