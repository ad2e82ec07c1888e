import { basic, bearer, type Client, createClient, type SluiceProblem } from '@sluice/client';
import { createContext, use } from 'react';

/** The values of the form. An empty credential is the empty string. */
export interface Credentials {
  readonly keyId: string;
  readonly keySecret: string;
  readonly token: string;
}

/** Both interfaces behind the gateway; each has a separate credential. */
export type Upstream = 'management' | 'observability';

/** Whether a credential was entered, and whether its interface accepts it, as far as the page knows. */
export type Access = 'none' | 'given' | SluiceProblem;

/** The data that all parts of the signed-in page share. */
export interface Session {
  readonly client: Client;
  /** A client with the same credentials that uses this function instead of the platform's `fetch`. */
  readonly clientWith: (fetch: typeof globalThis.fetch) => Client;
  readonly access: Readonly<Record<Upstream, Access>>;
  /** Called when an interface has refused its credential. The other half of the page continues. */
  readonly refuse: (upstream: Upstream, problem: SluiceProblem) => void;
  /** Returns to the form, to enter this credential. */
  readonly askFor: (upstream: Upstream) => void;
}

/** @throws TypeError if a credential cannot be sent, for example a key id with a colon */
export const openClient = (
  { keyId, keySecret, token }: Credentials,
  fetch?: typeof globalThis.fetch,
): Client =>
  createClient({
    url: '/graphql',
    ...(fetch && { fetch }),
    ...(keyId && { management: basic(keyId, keySecret) }),
    ...(token && { observability: bearer(token) }),
  });

export const SessionContext = createContext<Session | undefined>(undefined);

export const useSession = (): Session => {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is for parts of the page below SessionContext');
  return session;
};
