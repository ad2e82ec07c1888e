import { leaksIn } from './secret-operations.ts';

/**
 * What must never leave the gateway, whatever happened. Secrets of callers have the marks of
 * `secret-operations.ts`; whatever an upstream alone knows is marked `leaky`.
 */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a URL', /\bhttps?:\/\//i],
  ['an address', /127\.0\.0\.1|\[::1?\]|\blocalhost\b/i],
  ['a host', /\.(?:invalid|example|internal)\b/i],
  ['what an upstream alone knows', /leaky/i],
  ['a credential', /\b(?:basic|bearer) +[\w+/=~.-]{4,}/i],
  ['a stack', /\bat (?:async |new )?[\w.<>[\] ]+ \(|\bat (?:file:|node:|\/|<anonymous>)/],
  ['a place in a file', /\.[cm]?[jt]s:\d+/],
  ['a path of a file', /file:\/\/|node_modules|node:internal|\/(?:work|home|srv|usr|src|tmp)\//],
  ['a class of errors', /\b(?:Type|Range|Syntax|Reference|Internal)Error\b/],
  ['a hint', /did you mean/i],
];

/** What was found of the upstreams' addresses, of secrets and of the insides, each with its surroundings. */
export const findLeaks = (text: string, upstreams: readonly URL[]): readonly string[] => {
  const around = (at: number): string => text.slice(Math.max(0, at - 60), at + 60);
  const ports = upstreams
    .filter(({ port }) => port !== '')
    // A request's id has groups of four digits between hyphens, and any of them may be the port's.
    .map(({ port }) => ['a port', new RegExp(`(?<![\\w-])${port}(?![\\w-])`)] as const);
  const found = [...patterns, ...ports].flatMap(([kind, pattern]) => {
    const at = pattern.exec(text)?.index;
    return at === undefined ? [] : [`${kind}: ${around(at)}`];
  });
  return [...found, ...leaksIn(text).map((place) => `a secret: ${place}`)];
};
