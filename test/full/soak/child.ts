import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromGateway, Measures, ToGateway } from './gateway.ts';

/** Starts the gateway of a soak in a process of its own, with these settings and no others. */
export const startGateway = async (settings: Readonly<Record<string, string>>) => {
  const child = fork(fileURLToPath(new URL('./gateway.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...settings },
    // The log is written, as it always is, and nobody reads it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const next = async (): Promise<FromGateway> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      ended.then(([code, signal]) => {
        throw new Error(`the gateway ended: ${code ?? signal}`);
      }),
    ]);
    return message;
  };
  const tell = (message: ToGateway): void => {
    child.send(message);
  };
  const first = await next();
  if (first.type !== 'listening') throw new Error('the gateway does not listen');
  return {
    url: `http://127.0.0.1:${first.port}/graphql`,
    measure: async (): Promise<Measures> => {
      tell('measure');
      const message = await next();
      if (message.type !== 'measures') throw new Error('no measures');
      return message.measures;
    },
    stop: async (): Promise<number | null> => {
      tell('stop');
      const [code] = await ended;
      return code;
    },
    kill: () => child.kill('SIGKILL'),
  };
};
