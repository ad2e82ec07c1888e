import { redact } from './redact.ts';
import type { Secret } from './secret-forms.ts';

/**
 * Members whose values are secrets, wherever in a request they stand. The loose match is deliberate:
 * an undocumented member of such a name holds a secret as well.
 */
const secretName =
  /passw|secret|credential|accesskey|connectionstring|hash|authorization|token|private_?key/i;

const collect = (value: unknown, secret: boolean, found: Set<string>): void => {
  if (typeof value === 'string' || typeof value === 'number') {
    if (secret) found.add(String(value));
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, secret, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, secret || secretName.test(name), found);
    }
  }
};

/** The secret values inside a request's body. */
export const secretsIn = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  collect(value, false, found);
  return found;
};

/**
 * What is secret of an Authorization value: its token, and of Basic the part behind the colon. Scheme and user name are not,
 * but for what the token's own beginning tells of them.
 */
export const secretsOfCredential = (credential: string): readonly Secret[] => {
  const [, token = ''] = credential.split(/ +/);
  if (token === '') return [{ text: credential, known: 0 }];
  const whole = { text: credential, known: credential.length - token.length };
  const pair = Buffer.from(token, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const parts =
    colon < 0
      ? []
      : [
          { text: pair, known: colon + 1 },
          { text: pair.slice(colon + 1), known: 0 },
        ];
  return [whole, { text: token, known: 0 }, ...parts];
};

/** What is secret of one request to the gateway: no text that leaves the gateway, to whomever, may hold any of it. */
export interface RequestSecrets {
  /** Takes note of the secrets of a body that is sent; no later answer to this request may repeat them either. */
  note(body: unknown): void;
  all(): readonly Secret[];
  /** Whether a short text holds none of them. */
  areMissingIn(text: string): boolean;
}

/** @param credentials the credentials that came with the request, of whatever form */
export const createRequestSecrets = (credentials: readonly string[]): RequestSecrets => {
  const ofBodies = new Set<string>();
  const all = (): readonly Secret[] => [
    ...credentials.flatMap(secretsOfCredential),
    ...[...ofBodies].map((text) => ({ text, known: 0 })),
  ];
  return {
    note: (body) => {
      for (const secret of secretsIn(body)) ofBodies.add(secret);
    },
    all,
    areMissingIn: (text) => redact(text, all()) === text,
  };
};
