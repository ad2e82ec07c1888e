import { fastify } from 'fastify';
import { type MercuriusLoaders, mercurius } from 'mercurius';
import { type Alert, type Dashboard, paths } from '../world.ts';
import { type Context, createSchema } from './schema.ts';
import { createRead, createUndiciCall, listen, type Read } from './upstream.ts';

/** Mercurius on Fastify, with its compiler, and with loaders for repeated reads. */

declare module 'mercurius' {
  interface MercuriusContext {
    readonly read: Read;
  }
}

/** The input of a loader for each field: its parent and arguments. */
interface Item {
  readonly obj: Alert & Dashboard;
  readonly params: { readonly id: string };
}

/** The batch itself finds equal paths, so the loaders need not build keys from whole parents. */
const opts = { cache: false };

/** Reads each distinct path of a batch once, and answers in the batch's order. */
const byPath = (pathOf: (item: Item) => string) => ({
  loader: async (batch: readonly Item[], { read }: Context) => {
    const reads = new Map([...new Set(batch.map(pathOf))].map((path) => [path, read(path)]));
    return Promise.all(batch.map((item) => reads.get(pathOf(item))));
  },
  opts,
});

const loaders: MercuriusLoaders = {
  Query: { alert: byPath(({ params }) => paths.alert(params.alertId)) },
  Alert: { dashboard: byPath(({ obj }) => paths.dashboard(obj.dashboard)) },
  Dashboard: {
    alerts: {
      loader: async (batch: readonly Item[], { read }: Context) => {
        const alerts = await read<Alert[]>(paths.alerts);
        return batch.map(({ obj }) => alerts.filter(({ dashboard }) => dashboard === obj.id));
      },
      opts,
    },
  },
};

const call = createUndiciCall();
const app = fastify();
await app.register(mercurius, {
  schema: createSchema(),
  loaders,
  jit: 1,
  context: (request) => ({ read: createRead((name) => request.headers[name], call) }),
});
await app.listen(listen);
