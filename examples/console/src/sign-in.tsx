import { type ComponentProps, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { type Fault, faultIn, readCredentials } from './credentials.ts';
import { type Credentials, login } from './login.ts';
import { Notice } from './notice.tsx';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly name: keyof Credentials;
  readonly faults: readonly Fault[];
  readonly focus: keyof Credentials | undefined;
}

const Field = ({ label, faults, focus, ...input }: FieldProps) => {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  const own = faults.find(({ field }) => field === input.name);
  // The first field with a problem gets the focus.
  const wanted = (faults[0]?.field ?? focus) === input.name;
  useEffect(() => {
    if (wanted && faults) element.current?.focus();
  }, [wanted, faults]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        ref={element}
        aria-invalid={own && true}
        aria-describedby={own && `${id}-fault`}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
      />
      <Notice id={`${id}-fault`} problems={own ? [own] : []} />
    </div>
  );
};

interface SignInProps {
  /** The initial values of the fields. */
  readonly credentials: Credentials;
  /** Why the form is shown again. */
  readonly refusals: readonly Fault[];
  /** The field that gets the focus if there is no refusal. */
  readonly focus: keyof Credentials | undefined;
  /** Rejects with an Error that says why it did not work. */
  readonly onSignIn: (credentials: Credentials) => Promise<void>;
}

/** The form for both credentials. */
export const SignIn = ({ credentials, refusals, focus, onSignIn }: SignInProps) => {
  const [faults, setFaults] = useState(refusals);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = readCredentials(new FormData(event.currentTarget));
    const found = faultIn(given);
    setFaults(found ? [found] : []);
    if (found) return;
    onSignIn(given).catch((error: unknown) =>
      setFaults([{ field: 'keyId', message: error instanceof Error ? error.message : `${error}` }]),
    );
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit} noValidate aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <p>
          You may leave one of the two empty; its half of the page then stays empty, unless one key
          is for both. {login.note}
        </p>
        <fieldset>
          <legend>Pipes: management key</legend>
          <Field
            label="Key id"
            name="keyId"
            defaultValue={credentials.keyId}
            faults={faults}
            focus={focus}
          />
          <Field
            label="Key secret"
            name="keySecret"
            type="password"
            defaultValue={credentials.keySecret}
            faults={faults}
            focus={focus}
          />
        </fieldset>
        <fieldset>
          <legend>Alerts: observability token</legend>
          <Field
            label="Token"
            name="token"
            type="password"
            defaultValue={credentials.token}
            faults={faults}
            focus={focus}
          />
        </fieldset>
        <Button type="submit" className="primary">
          Sign in
        </Button>
      </form>
    </main>
  );
};
