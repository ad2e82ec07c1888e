import { type ComponentProps, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { type Fault, faultIn, readCredentials } from './credentials.ts';
import { Notice } from './notice.tsx';
import type { Credentials } from './session.ts';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly name: keyof Credentials;
  readonly fault: Fault | undefined;
  readonly focus: keyof Credentials | undefined;
}

const Field = ({ label, fault, focus, ...input }: FieldProps) => {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  const own = fault?.field === input.name ? fault : undefined;
  const wanted = focus === input.name;
  useEffect(() => {
    if (own || wanted) element.current?.focus();
  }, [own, wanted]);
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
  /** What the fields hold at first. */
  readonly credentials: Credentials;
  /** Why the form is shown again. */
  readonly refusal: Fault | undefined;
  /** The field to begin with, where there is no refusal. */
  readonly focus: keyof Credentials | undefined;
  readonly onSignIn: (credentials: Credentials) => void;
}

/** The form for both credentials. What it is given stays in this page's memory. */
export const SignIn = ({ credentials, refusal, focus, onSignIn }: SignInProps) => {
  const [fault, setFault] = useState(refusal);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = readCredentials(new FormData(event.currentTarget));
    const found = faultIn(given);
    setFault(found);
    if (!found) onSignIn(given);
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit} noValidate aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <p>
          Either credential may be left empty; its half of the page then stays empty too. Both are
          kept in this page's memory only and are gone when you reload it.
        </p>
        <fieldset>
          <legend>Databases: management key</legend>
          <Field
            label="Key id"
            name="keyId"
            defaultValue={credentials.keyId}
            fault={fault}
            focus={focus}
          />
          <Field
            label="Key secret"
            name="keySecret"
            type="password"
            defaultValue={credentials.keySecret}
            fault={fault}
            focus={focus}
          />
        </fieldset>
        <fieldset>
          <legend>Dashboards: observability token</legend>
          <Field
            label="Token"
            name="token"
            type="password"
            defaultValue={credentials.token}
            fault={fault}
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
