import { type Client, createClient, type SluiceProblem } from '@sluice/client';
import { createContext, use } from 'react';
import type { GatewayQuery } from './generated/operations.ts';
import type { Upstream, User } from './login.ts';

export type Gateway = GatewayQuery['gateway'];

/** Whether alerts are below the services, so that one key is for both halves. */
export const hasOneKey = (gateway: Gateway | undefined): boolean =>
  gateway?.unavailableFields.includes('Service.alerts') === false;

/** Whether a credential was entered, and whether its interface accepts it, as far as the page knows. */
export type Access = 'none' | 'given' | SluiceProblem;

/** The data that all parts of the signed-in page share. */
export interface Session {
  readonly client: Client;
  /** A client with the same credentials that uses this function instead of the platform's `fetch`. */
  readonly clientWith: (fetch: typeof globalThis.fetch) => Client;
  /** What the gateway can do; undefined until it has said so. */
  readonly gateway: Gateway | undefined;
  readonly access: Readonly<Record<Upstream, Access>>;
  /** Called when an interface has refused its credential. The other half of the page continues. */
  readonly refuse: (upstream: Upstream, problem: SluiceProblem) => void;
  /** Returns to the form, to enter this credential. */
  readonly askFor: (upstream: Upstream) => void;
}

export const openClient = ({ options }: User, fetch?: typeof globalThis.fetch): Client =>
  createClient({ url: '/graphql', ...options, ...(fetch && { fetch }) });

export const SessionContext = createContext<Session | undefined>(undefined);

export const useSession = (): Session => {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is for parts of the page below SessionContext');
  return session;
};
