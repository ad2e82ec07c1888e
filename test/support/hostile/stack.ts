import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { json, type Stack, startStack } from '../harness.ts';
import { type RawAnswering, type Recorder, startRecorder } from './backend.ts';

export interface HostileStack {
  readonly stack: Stack;
  readonly management: Recorder;
  readonly observability: Recorder;
}

/** Payload by request line, in the envelope of its upstream. */
export type Payload = (line: string) => unknown;

export const managementAnswer =
  (payload: Payload): RawAnswering =>
  ({ line }) => ({ status: 200, requestId: 'r-1', result: payload(line) });

export const observabilityAnswer =
  (payload: Payload): RawAnswering =>
  ({ line }) => ({ data: payload(line) });

/** Empty lists, so that each thing is read singly in the end, and empty objects. */
export const nothingThere: Payload = (line) =>
  /^GET \S*\/(organizations|services|pipes|invitations|dashboards|alerts) /.test(line) ? [] : {};

/** The gateway of a test file before two upstreams that keep every byte. */
export const useHostileStack = (config: Partial<Config> = {}): (() => HostileStack) => {
  let started: HostileStack | undefined;
  const running = (): HostileStack => {
    if (!started) throw new Error('not started');
    return started;
  };
  beforeAll(async () => {
    const management = await startRecorder();
    const observability = await startRecorder();
    const unused = () => json({}, 500);
    const stack = await startStack({
      management: unused,
      observability: unused,
      config: { managementUrl: management.url, observabilityUrl: observability.url, ...config },
    });
    started = { stack, management, observability };
  });
  beforeEach(() => {
    running().management.answer(managementAnswer(nothingThere));
    running().observability.answer(observabilityAnswer(nothingThere));
  });
  afterAll(async () => {
    const { stack, management, observability } = running();
    await stack.close();
    await management.close();
    await observability.close();
  });
  return running;
};
