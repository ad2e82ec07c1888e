import { basic, bearer, type Client, createClient, type SluiceProblem } from '@sluice/client';
import { createContext, use } from 'react';

/** What the form asks for. A credential that is left empty has the empty string. */
export interface Credentials {
  readonly keyId: string;
  readonly keySecret: string;
  readonly token: string;
}

/** Both interfaces behind the gateway; each takes a credential of its own. */
export type Upstream = 'management' | 'observability';

/** Whether a credential was entered, and whether its interface takes it, as far as the page knows. */
export type Access = 'none' | 'given' | SluiceProblem;

/** What all parts of the signed-in page share. */
export interface Session {
  readonly client: Client;
  /** A client of the same credentials, which uses that in place of the platform's `fetch`. */
  readonly clientWith: (fetch: typeof globalThis.fetch) => Client;
  readonly access: Readonly<Record<Upstream, Access>>;
  /** An interface has refused its credential. The other half of the page goes on. */
  readonly refuse: (upstream: Upstream, problem: SluiceProblem) => void;
  /** Back to the form, to enter that credential. */
  readonly askFor: (upstream: Upstream) => void;
}

/** @throws TypeError where a credential cannot be sent, such as a key id with a colon in it */
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
