import type { Result } from 'relay-runtime';

/** The result of a field with `@catch`: its value or its error. */
export type Caught<Value> = Result<Value, unknown>;

/** The value, or null if it could not be read; `Failures` shows the reason. */
export const orNull = <Value,>(caught: Caught<Value>): Value | null =>
  caught.ok ? caught.value : null;

/** `environment.ts` adds these to the extensions of each error. */
interface Details {
  readonly code: string;
  readonly message: string;
  readonly path: string;
}

const isOfAnswer = (error: unknown): error is { readonly extensions: Details } =>
  typeof error === 'object' && error !== null && 'extensions' in error;

// Relay also reports a value that is missing in its store this way, without extensions.
const missing: Details = { code: 'MISSING', message: 'A value is not there any more.', path: '' };

interface FailuresProps {
  readonly of: readonly Caught<unknown>[];
}

/** The errors of these fields; other fields are still shown. */
export const Failures = ({ of: fields }: FailuresProps) =>
  fields
    .flatMap((field) => (field.ok ? [] : field.errors))
    .map((error) => (isOfAnswer(error) ? error.extensions : missing))
    .map(({ code, message, path }) => (
      <p role="alert" key={`${path} ${message}`}>
        <code>{path}</code> {code}: {message}
      </p>
    ));
