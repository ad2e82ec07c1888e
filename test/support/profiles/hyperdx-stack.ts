import { onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import type { GatewayOptions } from '../../../src/gateway/server.ts';
import { type Answering, json, startStack } from '../harness.ts';

/** The gateway with HyperDX's profile before a server that is played by a function, until the test ends. */
export const startHyperdx = async (
  observability: Answering,
  config: Partial<Config> = {},
  gateway: Partial<GatewayOptions> = {},
) => {
  const stack = await startStack({
    management: () => json({}, 500),
    observability,
    config: { observabilityProfile: 'hyperdx', ...config },
    gateway,
  });
  onTestFinished(() => stack.close());
  return stack;
};
