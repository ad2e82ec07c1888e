import { isObject } from '../is-object.ts';

type Json = Readonly<Record<string, unknown>>;

const page = /<(?:[!?]|\/?(?:html|head|body|title|script|h1|pre|center|div|p|br|hr)\b)/i;

/** A stack trace after a message. With `\s+` for its blank, the time would grow with the square of a run of blanks. */
const stack = /\sat (?:async )?(?:\S+ (?:\[as \w+\] )?\()?\S*:\d+:\d+\)?.*$/s;

/** A text without its stack trace; undefined if the text is a page, or if nothing is left. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && !page.test(value)
    ? value.replace(stack, '').trim() || undefined
    : undefined;

const withStop = (text: string): string => {
  const [line = ''] = text.split(/[\r\n]/, 1);
  return /[.!?]$/.test(line) ? line : `${line}.`;
};

/** The path of the member that an issue is about, given as a list of names, a name, or a JSON pointer. */
const pathOf = ({ path, field, pointer, instancePath }: Json): string => {
  const given = path ?? field ?? pointer ?? instancePath;
  if (Array.isArray(given)) return given.join('.');
  return typeof given === 'string' ? given.replace(/^#?\//, '').replaceAll('/', '.') : '';
};

/** Members of an answer or of an issue that may hold issues. */
const issueNames = ['issues', 'errors', 'error', 'details', 'message'] as const;

/** The most issues that are read of one list, and how deeply lists within lists are read. */
const mostIssues = 20;
const deepest = 6;

/** `path: message.` for each issue in a value, in any form that validators use. */
const issuesOf = (value: unknown, path = '', depth = 0): readonly string[] => {
  if (depth > deepest) return [];
  const each = (values: readonly unknown[]): readonly string[] =>
    values.slice(0, mostIssues).flatMap((one) => issuesOf(one, path, depth + 1));
  if (Array.isArray(value)) return each(value);
  if (!isObject(value)) {
    const text = textOf(value);
    return text === undefined ? [] : [path === '' ? withStop(text) : `${path}: ${withStop(text)}`];
  }
  const own = issuesIn(value);
  if (own.length > 0) return each(own);
  const words = sentenceOf(value, sentenceNames.issue);
  if (words !== undefined) return issuesOf(words, pathOf(value) || path, depth + 1);
  if (pathOf(value) !== '') return [];
  // An object that maps each member's name to its messages.
  return Object.entries(value)
    .filter(([, messages]) => Array.isArray(messages))
    .slice(0, mostIssues)
    .flatMap(([name, messages]) => issuesOf(messages, name, depth + 1));
};

const issuesIn = (body: Json): readonly unknown[] =>
  issueNames.map((name) => body[name]).filter((held) => typeof held === 'object' && held !== null);

/** The members that hold the sentence of an issue, of an answer, and of problem details (RFC 9457), best first. */
const sentenceNames = {
  issue: ['message', 'detail', 'title', 'error'],
  answer: ['error', 'message'],
  problem: ['detail', 'title', 'message', 'error'],
} as const;

const sentenceOf = (body: Json, names: readonly string[]): string | undefined =>
  names.map((name) => textOf(body[name])).find((text) => text !== undefined);

/** The list of issues, which some validators send as JSON in the message. */
const listIn = (text: string): unknown => {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The text only begins with a bracket.
    return undefined;
  }
};

/**
 * The message in the body of an error: its sentence, and its issues as `path: message.` Undefined for a page, or if
 * there is no message. The message may hold secrets.
 *
 * @param body the body's JSON, or plain text
 * @param kind the member that holds the interface's message, or `problem` for problem details
 */
export const errorWords = (
  body: unknown,
  kind: { readonly member: string } | 'problem',
): string | undefined => {
  const names = kind === 'problem' ? sentenceNames.problem : [kind.member, ...sentenceNames.answer];
  const sentence = isObject(body) ? sentenceOf(body, names) : textOf(body);
  const list = sentence === undefined ? undefined : listIn(sentence);
  const issues = issuesOf(isObject(body) ? [list, ...issuesIn(body)] : (list ?? body));
  if (sentence === undefined || list !== undefined) return issues.join(' ') || sentence;
  if (!isObject(body) || issues.length === 0) return sentence;
  return [withStop(sentence), ...issues].join(' ');
};
