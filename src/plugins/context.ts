import type { ExecutionArgs } from 'graphql';
import type { Context } from '../request/context.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Gives resolvers the gateway's context. Yoga's contains the request with its credentials. */
export const useContext = (
  callers: Callers,
  createContext: (caller: UpstreamCaller) => Context,
): GatewayPlugin => ({
  onExecute: ({ args, executeFn, setExecuteFn }) => {
    const incoming = callers.get(args.contextValue.req);
    if (!incoming) throw new TypeError('An operation is executed for a request only');
    const contextValue = createContext(incoming.caller);
    setExecuteFn((given: ExecutionArgs) => executeFn({ ...given, contextValue }));
  },
});
