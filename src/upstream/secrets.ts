/**
 * Members whose values are secrets, wherever in a request they stand. The loose match is deliberate:
 * an undocumented member of such a name holds a secret as well.
 */
const secretName =
  /passw|secret|credential|accesskey|connectionstring|hash|authorization|token|private_?key/i;

const placeholder = '[redacted]';

const collect = (value: unknown, secret: boolean, found: Set<string>): void => {
  if (typeof value === 'string' || typeof value === 'number') {
    if (!secret || String(value).length < 4) return;
    found.add(String(value));
    // As it stands when a message quotes it.
    found.add(JSON.stringify(value).replace(/^"|"$/g, ''));
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

/** The forms in which an Authorization value could be echoed: whole, its token, the decoded parts of Basic. */
export const secretsOfCredential = (credential: string): ReadonlySet<string> => {
  const [, token = ''] = credential.split(/ +/);
  const decoded = Buffer.from(token, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const parts = colon < 0 ? [] : [decoded, decoded.slice(colon + 1)];
  return new Set([credential, token, ...parts].filter((part) => part.length > 3));
};

/** Takes the given secrets out of a text that came from elsewhere. Longest first, so that none leaves a rest. */
export const redact = (text: string, secrets: Iterable<string>): string =>
  [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, placeholder), text);

/** At most 500 characters of the first line. After redaction, or the rest of a cut secret would remain. */
export const oneLine = (text: string): string | undefined =>
  text
    .trim()
    .split(/[\r\n\u2028\u2029]/, 1)[0]
    ?.replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 500) || undefined;
