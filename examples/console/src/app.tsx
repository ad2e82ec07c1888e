import type { SluiceProblem } from '@sluice/client';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { faultOf, fieldOf } from './credentials.ts';
import { GatewayDocument } from './generated/operations.ts';
import { type Credentials, login, type Upstream, type User } from './login.ts';
import { Notice } from './notice.tsx';
import { Page } from './page.tsx';
import {
  type Access,
  type Gateway,
  hasOneKey,
  openClient,
  type Session,
  SessionContext,
} from './session.ts';
import { SignIn } from './sign-in.tsx';

const noCredentials: Credentials = { keyId: '', keySecret: '', token: '' };

const upstreams = ['management', 'observability'] as const satisfies readonly Upstream[];

type Refusals = Readonly<Partial<Record<Upstream, SluiceProblem>>>;

interface State {
  /** The last input: the form keeps it, so that one mistake does not clear every field. */
  readonly credentials: Credentials;
  /** Undefined while the form is shown; null until it is known whether somebody is signed in already. */
  readonly user: User | undefined | null;
  readonly refusals: Refusals;
  /** The field of the form that gets the focus; undefined when the page is opened. */
  readonly focus?: keyof Credentials;
}

const faultsIn = (refusals: Refusals) =>
  upstreams.flatMap((upstream) => {
    const problem = refusals[upstream];
    return problem ? [faultOf(upstream, problem)] : [];
  });

const nobody: User = { given: { management: false, observability: false }, options: {} };
const signedOut = { credentials: noCredentials, user: undefined, refusals: {} };

export const App = () => {
  const [{ credentials, user, refusals, focus }, setState] = useState<State>({
    credentials: __DEMO_CREDENTIALS__ ?? noCredentials,
    user: null,
    refusals: {},
  });

  useEffect(() => {
    login
      .restore()
      .catch(() => undefined)
      .then((user) => setState((now) => (now.user === null ? { ...now, user } : now)));
  }, []);

  const [gateway, setGateway] = useState<Gateway>();
  useEffect(() => {
    if (!user) return;
    const controller = new AbortController();
    openClient(user)
      .request(GatewayDocument, {}, { signal: controller.signal })
      .then((data) => setGateway(data.gateway))
      // The page works without it; if the gateway cannot be reached, both halves say so.
      .catch(() => undefined);
    return () => controller.abort();
  }, [user]);

  const refuse = useCallback<Session['refuse']>(
    (upstream, problem) =>
      setState((now) => {
        // A late answer may belong to a session that has ended.
        if (!user || now.user !== user) return now;
        const refusals = { ...now.refusals, [upstream]: problem };
        // If no credential works, the form shows both problems. A login in front of the gateway refuses both at once.
        const works =
          !login.hasEnded(problem) && upstreams.some((each) => user.given[each] && !refusals[each]);
        return { ...now, refusals, user: works ? user : undefined };
      }),
    [user],
  );
  const clientWith = useCallback<Session['clientWith']>(
    (fetch) => openClient(user ?? nobody, fetch),
    [user],
  );
  const session = useMemo<Session | undefined>(() => {
    if (!user) return undefined;
    const { given } = user;
    const accessTo = (upstream: Upstream): Access => {
      const isGiven = given[upstream] || (given.management && hasOneKey(gateway));
      return refusals[upstream] ?? (isGiven ? 'given' : 'none');
    };
    return {
      client: openClient(user),
      clientWith,
      gateway,
      access: { management: accessTo('management'), observability: accessTo('observability') },
      refuse,
      askFor: (upstream) =>
        setState((now) => ({ ...now, user: undefined, focus: fieldOf[upstream] })),
    };
  }, [user, gateway, refusals, refuse, clientWith]);

  const [complaints, setComplaints] = useState<readonly { message: string }[]>([]);
  const signOut = (): Promise<void> =>
    login.signOut().then(
      () => {
        setComplaints([]);
        setState({ ...signedOut, focus: 'keyId' });
      },
      () => setComplaints([{ message: 'You are still signed in. Try again to sign out.' }]),
    );
  return (
    <>
      <header className="banner">
        <h1>Sluice console</h1>
        {session && <Button onClick={signOut}>Sign out</Button>}
      </header>
      <Notice problems={complaints} />
      {session && (
        <SessionContext value={session}>
          <Page />
        </SessionContext>
      )}
      {user === undefined && (
        <SignIn
          credentials={credentials}
          refusals={faultsIn(refusals)}
          focus={focus}
          onSignIn={async (given) => {
            const user = await login.signIn(given);
            // Behind a login, the page keeps no credential.
            const credentials = user.options.credentials ? noCredentials : given;
            setState({ credentials, user, refusals: {} });
          }}
        />
      )}
    </>
  );
};
