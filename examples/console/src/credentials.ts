import type { SluiceProblem } from '@sluice/client';
import { type Credentials, login, type Upstream } from './login.ts';

/** A problem with the input, and the field that has it. */
export interface Fault {
  readonly field: keyof Credentials;
  readonly message: string;
  /** For the gateway's operators; absent if nothing was sent. */
  readonly requestId?: string;
}

const text = (fields: FormData, name: keyof Credentials): string =>
  String(fields.get(name) ?? '').trim();

/** The input of the form. Spaces and line ends around it come from copying. */
export const readCredentials = (fields: FormData): Credentials => ({
  keyId: text(fields, 'keyId'),
  keySecret: text(fields, 'keySecret'),
  token: text(fields, 'token'),
});

/** Checks credentials before they are sent. */
export const faultIn = ({ keyId, keySecret, token }: Credentials): Fault | undefined => {
  if (!keyId && !keySecret && !token) {
    return { field: 'keyId', message: 'Enter a management key, an observability token, or both.' };
  }
  if (keySecret && !keyId) return { field: 'keyId', message: 'The key id is missing.' };
  if (keyId && !keySecret) return { field: 'keySecret', message: 'The key secret is missing.' };
  if (keyId.includes(':')) return { field: 'keyId', message: 'A key id cannot hold a colon.' };
  if (!/^[!-~]*$/.test(token)) {
    return { field: 'token', message: 'A token consists of ASCII letters, digits and signs.' };
  }
  return undefined;
};

/** The first field for the credential of each interface. */
export const fieldOf = { management: 'keyId', observability: 'token' } as const satisfies Record<
  Upstream,
  keyof Credentials
>;

/** The name of each interface's credential. */
export const nameOf = {
  management: 'management key',
  observability: 'observability token',
} as const satisfies Record<Upstream, string>;

/** The message for a credential that its interface refused, or for a session that a login in front has ended. */
export const faultOf = (upstream: Upstream, problem: SluiceProblem): Fault => {
  const { code, message, requestId } = problem;
  const told =
    code === 'FORBIDDEN'
      ? `The ${nameOf[upstream]} is not allowed to read this: ${message}`
      : message;
  return {
    field: fieldOf[upstream],
    message: login.hasEnded(problem) ? 'You are signed out. Sign in again.' : told,
    ...(requestId && { requestId }),
  };
};
