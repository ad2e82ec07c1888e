import { useState } from 'react';
import { Button } from './button.tsx';
import { type Fault, faultOf, fieldOf } from './credentials.ts';
import { Dashboards } from './dashboards.tsx';
import { Databases } from './databases.tsx';
import { type Credentials, openSession, type Session, SessionContext } from './session.ts';
import { SignIn } from './sign-in.tsx';

const noCredentials: Credentials = { keyId: '', keySecret: '', token: '' };

interface State {
  /** What the form holds: what was entered last, so that one slip does not cost all of it. */
  readonly credentials: Credentials;
  readonly session?: Session;
  readonly refusal?: Fault;
  /** The field of the form to go on with; none when the page is opened. */
  readonly focus?: keyof Credentials;
}

const takeFocus = (element: HTMLElement | null): void => element?.focus();

export const App = () => {
  const [{ credentials, session, refusal, focus }, setState] = useState<State>({
    credentials: __DEMO_CREDENTIALS__ ?? noCredentials,
  });

  const signIn = (given: Credentials): void => {
    const opened = openSession(given, (reason) => {
      const form =
        typeof reason === 'string' ? { focus: fieldOf[reason] } : { refusal: faultOf(reason) };
      setState((now) =>
        // An answer that comes late may belong to a session that has ended.
        now.session === opened ? { credentials: given, ...form } : now,
      );
    });
    setState({ credentials: given, session: opened });
  };

  return (
    <>
      <header className="banner">
        <h1>Sluice console</h1>
        {session && (
          <Button onClick={() => setState({ credentials: noCredentials, focus: 'keyId' })}>
            Sign out
          </Button>
        )}
      </header>
      {session ? (
        <SessionContext value={session}>
          <main className="halves" tabIndex={-1} ref={takeFocus}>
            <Databases />
            <Dashboards />
          </main>
        </SessionContext>
      ) : (
        <SignIn credentials={credentials} refusal={refusal} focus={focus} onSignIn={signIn} />
      )}
    </>
  );
};
