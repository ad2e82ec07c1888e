import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { buildConsole, openConsole } from './console-page.ts';
import { type Answering, startStack } from './harness.ts';
import { createBackend, type World } from './world-backend.ts';
import { withIds } from './world-ids.ts';

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

interface Backends {
  readonly management: Answering;
  readonly observability: Answering;
}

/** Builds the console for the tests of a file; the result opens it on backends that answer as told. */
export const consoleOn = () => {
  let built: Awaited<ReturnType<typeof buildConsole>>;
  beforeAll(async () => {
    built = await buildConsole();
  });
  afterAll(() => built.remove());

  return async ({
    world = smallWorld,
    ...answering
  }: Partial<Backends> & { readonly world?: World }) => {
    const stack = await startStack({ ...createBackend(world), ...answering });
    onTestFinished(() => stack.close());
    return { ...(await openConsole(built.folder, stack.url)), stack };
  };
};

/** A gate that answers wait at until it is opened. */
export const createGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
};
