import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { type Answering, paced, startSandboxStack, startStack } from '../harness.ts';
import { createBackend, type World } from '../world/backend.ts';
import { withIds } from '../world/ids.ts';
import { buildConsole, openConsole } from './console-page.ts';

const pipe = (number: number, name: string, state: string) => ({
  id: `pipe-${number}`,
  name,
  state,
  source: { kafka: { topics: 'clicks' } },
});

/** Two services with a pipe each and one with none; two tiles, of which one has an alert. */
export const smallWorld: World = JSON.parse(
  withIds(
    JSON.stringify({
      organizations: [
        {
          id: 'organization-1',
          name: 'Acme',
          invitations: [],
          services: [
            { id: 'service-1', name: 'main', backup: null, pipes: [pipe(1, 'clicks', 'Running')] },
            { id: 'service-2', name: 'spare', backup: null, pipes: [pipe(2, 'views', 'Stopped')] },
            { id: 'service-3', name: 'new', backup: null, pipes: [] },
          ],
        },
      ],
      dashboards: [
        {
          id: 'dashboard-1',
          name: 'Health',
          tags: [],
          tiles: [
            { id: 'tile-1', name: 'Errors', x: 0, y: 0, w: 4, h: 2, series: [] },
            { id: 'tile-2', name: 'Notes', x: 4, y: 0, w: 4, h: 2, series: [] },
          ],
        },
      ],
      alerts: [
        {
          id: 'alert-1',
          name: 'Too many errors',
          state: 'OK',
          source: 'tile',
          interval: '5m',
          threshold: 5,
          thresholdType: 'above',
          channel: { type: 'webhook', webhookId: 'webhook-1' },
          dashboard: 'dashboard-1',
          tileId: 'tile-1',
        },
      ],
    }),
  ),
);

/** The path of the list of a service's pipes. */
export const pipesOf = (service: string): string =>
  withIds(`/v1/organizations/organization-1/services/${service}/pipes`);

/** The path of the first pipe of the first service. */
export const firstPipe: string = `${pipesOf('service-1')}/${withIds('pipe-1')}`;

interface Backends {
  readonly management: Answering;
  readonly observability: Answering;
}

/** Builds the console for the tests of a file; the result says in which folder it lies. */
const built = (): (() => string) => {
  let console: Awaited<ReturnType<typeof buildConsole>>;
  beforeAll(async () => {
    console = await buildConsole();
  });
  afterAll(() => console.remove());
  return () => console.folder;
};

/** What is read again, at once or not while a test runs. */
const polls = {
  soon: { management: 50, observability: 50 },
  never: { management: 600_000, observability: 600_000 },
} as const;

type Polls = keyof typeof polls;

/** Builds the console for the tests of a file; the result opens it on backends that answer as told. */
export const consoleOn = () => {
  const folder = built();
  return async ({
    world = smallWorld,
    reads = 'soon',
    config = {},
    ...answering
  }: Partial<Backends> & {
    readonly world?: World;
    readonly reads?: Polls;
    readonly config?: Partial<Config>;
  }) => {
    const gateway = { pollMs: polls[reads] };
    const stack = await startStack({ ...createBackend(world), ...answering, gateway, config });
    onTestFinished(() => stack.close());
    return { ...(await openConsole(folder(), stack.url)), stack };
  };
};

const transitionMs = 2000;

interface OnSandbox {
  readonly reads?: Polls;
  /** Whether the sandbox and the gateway keep the limits of the services. */
  readonly limits?: boolean;
}

/**
 * Builds the console for the tests of a file; the result opens it on a fresh sandbox, whose clock
 * stands still as the page's does; `settle` moves it past a pipe's transition. With limits its clock runs.
 */
export const consoleOnSandbox = () => {
  const folder = built();
  return async ({ reads = 'soon', limits = false }: OnSandbox = {}) => {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const stack = await startSandboxStack({
      sandbox: { limits, transitionMs, ...(!limits && { clock: () => new Date(now) }) },
      // With limits, the reads are spread as in use.
      ...(limits ? { config: paced } : { gateway: { pollMs: polls[reads] } }),
    });
    onTestFinished(() => stack.close());
    const opened = await openConsole(folder(), stack.url);
    const settle = (): void => {
      now += transitionMs;
    };
    return { ...opened, stack, settle, folder: folder() };
  };
};

/** A gate that answers wait at until it is opened. */
export const createGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
};
