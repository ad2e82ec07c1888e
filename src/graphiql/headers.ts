/** What the headers pane says of a header. Its lines hold 55 characters. */
interface Explained {
  readonly name: string;
  readonly about: readonly string[];
  /** How to come by a value, and what stands in its place until then. */
  readonly missing?: { readonly about: readonly string[]; readonly value: string };
}

const credentials: readonly Explained[] = [
  {
    name: 'Management-Authorization',
    about: ['For organizations, services, pipes and keys:'],
    missing: {
      about: [
        'For organizations, services, pipes and keys. Make it by',
        "printf %s 'KEY_ID:KEY_SECRET' | openssl base64 -A",
      ],
      // A credential has no blank in it, so that this is refused before any call.
      value: 'Basic <what it prints>',
    },
  },
  {
    name: 'Observability-Authorization',
    about: ['For dashboards and alerts:'],
    missing: { about: ['For dashboards and alerts:'], value: 'Bearer <access token>' },
  },
];

const explained: readonly Explained[] = [
  ...credentials,
  { name: 'Sluice-Explain', about: ['Lists the upstream calls below each answer:'] },
];

const opening = {
  given: ['Sent with every operation, from every tab.'],
  missing: [
    'Your credentials: sent from every tab, stored nowhere.',
    'Take the // away from a header and fill in its value.',
  ],
};

const comments = (lines: readonly string[]): string[] => lines.map((line) => `  // ${line}`);

const member = (name: string, value: string): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value)},`;

/**
 * What the headers pane holds at first: JSON with comments, which GraphiQL takes. The credentials are
 * explained; those that are not given are commented out, so that nothing is sent in their place.
 */
export const headersText = (given: Readonly<Record<string, string>>): string => {
  const names = new Set(explained.map(({ name }) => name));
  const others = Object.keys(given).filter((name) => !names.has(name));
  const all = [...explained, ...others.map((name): Explained => ({ name, about: [] }))];
  const lines = all.flatMap(({ name, about, missing }) => {
    const value = given[name];
    if (value !== undefined) return [...comments(about), `  ${member(name, value)}`];
    return missing ? comments([...missing.about, member(name, missing.value)]) : [];
  });
  const isGiven = credentials.some(({ name }) => given[name] !== undefined);
  return ['{', ...comments(isGiven ? opening.given : opening.missing), ...lines, '}'].join('\n');
};
