import type { SluiceProblem } from '@sluice/client';
import { useCallback, useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { faultOf, fieldOf } from './credentials.ts';
import { Page } from './page.tsx';
import {
  type Access,
  type Credentials,
  openClient,
  type Session,
  SessionContext,
  type Upstream,
} from './session.ts';
import { SignIn } from './sign-in.tsx';

const noCredentials: Credentials = { keyId: '', keySecret: '', token: '' };

const upstreams = ['management', 'observability'] as const satisfies readonly Upstream[];

type Refusals = Readonly<Partial<Record<Upstream, SluiceProblem>>>;

interface State {
  /** The last input: the form keeps it, so that one mistake does not clear every field. */
  readonly credentials: Credentials;
  readonly signedIn: boolean;
  readonly refusals: Refusals;
  /** The field of the form that gets the focus; undefined when the page is opened. */
  readonly focus?: keyof Credentials;
}

const isGiven = ({ keyId, token }: Credentials, upstream: Upstream): boolean =>
  (upstream === 'management' ? keyId : token) !== '';

const faultsIn = (refusals: Refusals) =>
  upstreams.flatMap((upstream) => {
    const problem = refusals[upstream];
    return problem ? [faultOf(upstream, problem)] : [];
  });

export const App = () => {
  const [{ credentials, signedIn, refusals, focus }, setState] = useState<State>({
    credentials: __DEMO_CREDENTIALS__ ?? noCredentials,
    signedIn: false,
    refusals: {},
  });

  const clientWith = useCallback<Session['clientWith']>(
    (fetch) => openClient(credentials, fetch),
    [credentials],
  );
  const refuse = useCallback<Session['refuse']>(
    (upstream, problem) =>
      setState((now) => {
        // A late answer may belong to a session that has ended.
        if (now.credentials !== credentials || !now.signedIn) return now;
        const refusals = { ...now.refusals, [upstream]: problem };
        // If no credential works, the form shows both problems.
        const works = upstreams.some((each) => isGiven(credentials, each) && !refusals[each]);
        return { ...now, refusals, signedIn: works };
      }),
    [credentials],
  );
  const session = useMemo<Session>(() => {
    const accessTo = (upstream: Upstream): Access =>
      refusals[upstream] ?? (isGiven(credentials, upstream) ? 'given' : 'none');
    return {
      client: openClient(credentials),
      clientWith,
      access: { management: accessTo('management'), observability: accessTo('observability') },
      refuse,
      askFor: (upstream) =>
        setState((now) => ({ ...now, signedIn: false, focus: fieldOf[upstream] })),
    };
  }, [credentials, refusals, clientWith, refuse]);

  return (
    <>
      <header className="banner">
        <h1>Sluice console</h1>
        {signedIn && (
          <Button
            onClick={() =>
              setState({
                credentials: noCredentials,
                signedIn: false,
                refusals: {},
                focus: 'keyId',
              })
            }
          >
            Sign out
          </Button>
        )}
      </header>
      {signedIn ? (
        <SessionContext value={session}>
          <Page />
        </SessionContext>
      ) : (
        <SignIn
          credentials={credentials}
          refusals={faultsIn(refusals)}
          focus={focus}
          onSignIn={(given) => setState({ credentials: given, signedIn: true, refusals: {} })}
        />
      )}
    </>
  );
};
