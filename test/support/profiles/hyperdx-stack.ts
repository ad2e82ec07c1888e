import { onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type Answering, json, startStack } from '../harness.ts';

/** The gateway with HyperDX's profile before a server that is played by a function, until the test ends. */
export const startHyperdx = async (observability: Answering, config: Partial<Config> = {}) => {
  const stack = await startStack({
    management: () => json({}, 500),
    observability,
    config: { observabilityProfile: 'hyperdx', ...config },
  });
  onTestFinished(() => stack.close());
  return stack;
};
