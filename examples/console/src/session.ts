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

/** What all parts of the signed-in page share. */
export interface Session {
  readonly client: Client;
  readonly signedInTo: Readonly<Record<Upstream, boolean>>;
  /** Back to the form: a credential was refused, or that of an interface is to be entered. */
  readonly askAgain: (reason: SluiceProblem | Upstream) => void;
}

/** @throws TypeError where a credential cannot be sent, such as a key id with a colon in it */
export const openSession = (
  { keyId, keySecret, token }: Credentials,
  askAgain: Session['askAgain'],
): Session => ({
  client: createClient({
    url: '/graphql',
    ...(keyId && { management: basic(keyId, keySecret) }),
    ...(token && { observability: bearer(token) }),
  }),
  signedInTo: { management: keyId !== '', observability: token !== '' },
  askAgain,
});

export const SessionContext = createContext<Session | undefined>(undefined);

export const useSession = (): Session => {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is for parts of the page below SessionContext');
  return session;
};
