/// <reference types="vite/client" />
import { basic, bearer, type ClientOptions, type SluiceProblem } from '@sluice/client';

/** The values of the form. An empty credential is the empty string. */
export interface Credentials {
  readonly keyId: string;
  readonly keySecret: string;
  readonly token: string;
}

/** Both interfaces behind the gateway; each has a separate credential. */
export type Upstream = 'management' | 'observability';

/** The interfaces for which the user has given a credential. */
export type Given = Readonly<Record<Upstream, boolean>>;

/** A signed-in user, and how requests carry the credentials. */
export interface User {
  readonly given: Given;
  readonly options: Pick<ClientOptions, Upstream | 'credentials'>;
}

/** How users sign in. */
interface Login {
  /** Said on the form: where the credentials are kept. */
  readonly note: string;
  /** The user of an earlier visit who is still signed in. */
  restore(): Promise<User | undefined>;
  /** @throws Error with a sentence for the user if nobody is signed in then. */
  signIn(credentials: Credentials): Promise<User>;
  /** Whether a refused request says that nobody is signed in any more. */
  hasEnded(problem: SluiceProblem): boolean;
  /** Rejects if the user is still signed in. */
  signOut(): Promise<void>;
}

/** The page keeps the credentials itself, in memory. */
const inMemory: Login = {
  note: "Both are kept in this page's memory only and are gone when you reload it.",
  restore: async () => undefined,
  signIn: async ({ keyId, keySecret, token }) => ({
    given: { management: keyId !== '', observability: token !== '' },
    options: {
      ...(keyId && { management: basic(keyId, keySecret) }),
      ...(token && { observability: bearer(token) }),
    },
  }),
  hasEnded: () => false,
  signOut: async () => undefined,
};

/** A login in front of the gateway keeps the credentials in an encrypted cookie; see examples/bff. */
const byCookie: Login = {
  note: 'Both are kept in an encrypted cookie that no script can read, until you sign out.',
  restore: async () => {
    const response = await fetch('/session');
    const given: Given = await response.json();
    return given.management || given.observability
      ? { given, options: { credentials: 'same-origin' } }
      : undefined;
  },
  signIn: async (credentials) => {
    const response = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    const user = response.ok && (await byCookie.restore());
    if (!user) throw new Error(`The login did not work (HTTP status ${response.status}).`);
    return user;
  },
  // A key that an interface refuses is told by the gateway, with the interface.
  hasEnded: ({ upstream }) => upstream === undefined,
  signOut: async () => {
    const { ok, status } = await fetch('/session', { method: 'DELETE' });
    if (!ok) throw new Error(`The login did not sign out (HTTP status ${status}).`);
  },
};

export const login: Login = import.meta.env.VITE_LOGIN === 'cookie' ? byCookie : inMemory;
