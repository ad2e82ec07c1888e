import { groups } from '../config/settings.ts';
import { profileNames } from './arguments.ts';

const names = groups.flatMap(([, members]) => members.map(({ name }) => name));
const fallbacks = groups.flatMap(([, members]) => members.map(({ fallback }) => fallback));
/** The first sentence, without the marks of Markdown. */
const phraseOf = (about: string): string =>
  about
    .replace(/\. .*/, '')
    .replaceAll('`', '')
    .replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1');
const widthOf = (texts: readonly string[]): number =>
  Math.max(...texts.map(({ length }) => length)) + 2;

/** The text of `--help`, made from the table by which the gateway reads its settings. */
export const helpText = (): string => {
  const [nameWidth, fallbackWidth] = [widthOf(names), widthOf(fallbacks)];
  const lines = groups.flatMap(([title, members]) => [
    '',
    `${title}:`,
    ...members.map(
      ({ name, fallback, about }) =>
        `  ${name.padEnd(nameWidth)}${fallback.padEnd(fallbackWidth)}${phraseOf(about)}`,
    ),
  ]);
  return `Sluice is a GraphQL gateway over two REST interfaces, management and observability.

Usage: sluice [demo | check | schema | --help | --version]     in a clone: npm start [-- check], npm run demo

  (nothing)   serve GraphQL at /graphql until a stop signal comes
  demo        serve demo data, without any settings; takes --help
  check       check the settings, and whether Redis and, without a credential, both upstreams answer
  schema      print the schema in SDL; with --profile NAME, what a gateway with this profile has of it:
              ${profileNames.join(', ')}; twice for both interfaces
  --help      print this
  --version   print the version

Exit code: 0 if all is well, 1 if a setting or an argument is wrong or the gateway cannot listen
on its address, 2 if check cannot reach an upstream or Redis.

Settings are environment variables, listed here with their defaults:
${lines.join('\n')}

HTTPS_PROXY, HTTP_PROXY and NO_PROXY say how upstreams are reached, and OpenTelemetry's own
variables whether and where traces are sent.

docs/operating.md describes each setting.
`;
};
