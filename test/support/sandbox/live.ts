import { liveWorld } from '../../../sandbox/live/world/ids.ts';
import type { SandboxOptions } from '../../../sandbox/server.ts';
import { open, service, world } from './harness.ts';

/** A sandbox in the live dialect for one test. */
export const openLive = (options: SandboxOptions = {}) => open({ profile: 'live', ...options });

const pipeIds = { ...world.management.main.pipes, ...liveWorld.pipes };

/** The path of a service's pipes, as ClickHouse Cloud has it. */
export const pipesOf = (name: Parameters<typeof service>[0]): string =>
  `${service(name)}/clickpipes`;

/** The path of a pipe, as ClickHouse Cloud has it. */
export const livePipe = (
  serviceName: Parameters<typeof service>[0],
  name: keyof typeof pipeIds,
): string => `${pipesOf(serviceName)}/${pipeIds[name]}`;

export { liveWorld };
