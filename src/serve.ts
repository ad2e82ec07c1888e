import { once } from 'node:events';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { createGateway, graphqlPath } from './server.ts';
import { watchUncaught } from './uncaught.ts';

/** Where a gateway listens, as the log tells it. `port` is the real one, also where 0 was asked for. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** The gateway cannot listen; the message is a line for whoever started it. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export interface Serving {
  /** Rejects with a ListenError. */
  readonly listening: Promise<Address>;
  /** Ends as the gateway's own `close` does, once it listens; what never came to listen is closed. */
  close(): Promise<void>;
}

/** Starts this process's gateway where the settings say. */
export const serve = (config: Config, log: Log): Serving => {
  const uncaughtErrors = watchUncaught(log, () => close());
  const { server, close } = createGateway({ config, log, uncaughtErrors });
  server.listen(config.port, config.host);
  const listening = once(server, 'listening').then(
    () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : config.port;
      return { host: config.host, port, path: graphqlPath };
    },
    ({ code }: NodeJS.ErrnoException) => {
      throw new ListenError(
        `Sluice cannot listen on ${config.host}:${config.port} (HOST, PORT): ${code}`,
      );
    },
  );
  return { listening, close: () => listening.then(close, () => undefined) };
};
