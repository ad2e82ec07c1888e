import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * The gateway's log: JSON lines on standard output, or where `destination` says; in a terminal, lines to
 * be read. Every call names the members it logs; requests, headers, variables and answers are never among
 * them.
 */
export const createLog = (destination: DestinationStream = pino.destination(1)): Log =>
  pino({ base: null }, destination);

/** Members of a line, each a plain value. */
export type LineMembers = Readonly<
  Record<string, string | number | undefined | readonly unknown[]>
>;

/** Members as they stand in a line; nothing of those that have no value. */
export const membersText = (members: LineMembers): string => JSON.stringify(members).slice(1, -1);

/**
 * Writes lines at the level of information, just as pino would, of members as `membersText` gives them. For
 * those that every request leaves: pino makes a line of some forty pieces, which have to be put together
 * when it is written.
 */
export const createInfoWriter = (log: Log, message: string): ((members: string) => void) => {
  const symbols: Readonly<typeof pino.symbols> = pino.symbols;
  const internals = log as unknown as Readonly<Record<symbol, unknown>>;
  const destination = internals[symbols.streamSym] as DestinationStream;
  const bindings = internals[symbols.chindingsSym];
  const level = pino.levels.values.info;
  const msg = JSON.stringify(message);
  return (members) => {
    if (!log.isLevelEnabled('info')) return;
    const own = members === '' ? '' : `,${members}`;
    destination.write(`{"level":${level},"time":${Date.now()}${bindings}${own},"msg":${msg}}\n`);
  };
};

/** Where the project lies; that is nobody's business. */
const root = new URL('../', import.meta.url).href;

/** The first line of a stack behind the message, which may have lines that look like one. */
const placeOf = ({ stack = '', message }: Error): string | undefined => {
  const start = stack.indexOf(message);
  // A message that was changed later stands there as it was, and nobody knows how long it is.
  if (start === -1) return undefined;
  return stack
    .slice(start + message.length)
    .split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
    .replaceAll(root, '');
};

/** What may be logged of an error: its kind and where it arose. Messages can quote what they should not. */
export const errorFacts = (error: unknown): { kind: string; at: string | undefined } =>
  error instanceof Error
    ? { kind: error.name, at: placeOf(error) }
    : { kind: typeof error, at: undefined };
