import type { Result } from 'relay-runtime';

/** What a field under `@catch` gives: its value, or what kept it from being read. */
export type Caught<Value> = Result<Value, unknown>;

/** The value, or null where it could not be read; `Failures` says why. */
export const orNull = <Value,>(caught: Caught<Value>): Value | null =>
  caught.ok ? caught.value : null;

/** What `environment.ts` puts into the extensions of each error. */
interface Details {
  readonly code: string;
  readonly message: string;
  readonly path: string;
}

const isOfAnswer = (error: unknown): error is { readonly extensions: Details } =>
  typeof error === 'object' && error !== null && 'extensions' in error;

// Relay tells of a value that its store lacks in the same way, without extensions.
const missing: Details = { code: 'MISSING', message: 'A value is not there any more.', path: '' };

interface FailuresProps {
  readonly of: readonly Caught<unknown>[];
}

/** What failed among these fields; fields beside those are shown nevertheless. */
export const Failures = ({ of: fields }: FailuresProps) =>
  fields
    .flatMap((field) => (field.ok ? [] : field.errors))
    .map((error) => (isOfAnswer(error) ? error.extensions : missing))
    .map(({ code, message, path }) => (
      <p role="alert" key={`${path} ${message}`}>
        <code>{path}</code> {code}: {message}
      </p>
    ));
