import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

type LogFormat = 'json' | 'pretty';

export const logLevels = ['info', 'debug', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** A log of JSON lines. Calls name the members to log, which are never requests, headers, variables or responses. */
export const createLog = (destination: DestinationStream, level: LogLevel = 'info'): Log =>
  pino(
    {
      ...{ base: null, level, timestamp: pino.stdTimeFunctions.isoTime },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

const standardOutput = 1;

/** The most bytes of lines that wait because they cannot be written; further lines are lost. */
const maxWaitingBytes = 1024 * 1024;

/** After how many milliseconds waiting lines are tried again. */
const againMs = 100;

/**
 * Standard output. Lines are written at once (`sync`, pino's default), so that no line is lost however the process
 * ends. The price: a reader that stalls makes the gateway wait. Once Node opens standard output itself (`Readable.pipe`
 * does), lines wait instead, and the process ends only when they are written.
 */
const openOutput = () => {
  let isDue = false;
  const writeWaiting = (): void => {
    isDue = false;
    output.write('');
  };
  const output = pino.destination({
    dest: standardOutput,
    sync: true,
    maxLength: maxWaitingBytes,
    retryEAGAIN: () => {
      // Otherwise waiting lines would be written only with the next line, maybe hours later.
      if (!isDue) setTimeout(writeWaiting, againMs);
      isDue = true;
      // pino would try again at once, and block this thread until somebody reads.
      return false;
    },
  });
  // Without a reader (EPIPE), pino stops writing by itself. A full disk or a closed terminal must stop nothing either.
  output.on('error', () => undefined);
  return output;
};

/** Falls back to JSON, since pino-pretty may not be installed: it is a development dependency. */
const openPretty = async (output: DestinationStream): Promise<DestinationStream> => {
  try {
    const { build } = await import('pino-pretty');
    return build({ destination: output, sync: true, ignore: 'pid,hostname' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      return output;
    }
    throw error;
  }
};

/** The log on standard output: lines for people, the default in a terminal, or JSON, also if pino-pretty is missing. */
export const openLog = async ({
  logFormat = isatty(standardOutput) ? 'pretty' : 'json',
  logLevel,
}: {
  readonly logFormat?: LogFormat | undefined;
  readonly logLevel: LogLevel;
}): Promise<Log> => {
  const output = openOutput();
  return createLog(logFormat === 'pretty' ? await openPretty(output) : output, logLevel);
};

/** The folder of the project, which the log leaves out. */
const root = new URL('../', import.meta.url).href;

/** The first line of the stack after the message, which may itself contain lines like those of a stack. */
const placeOf = ({ stack = '', message }: Error): string | undefined => {
  const start = stack.indexOf(message);
  // The stack keeps the original message. If the message was changed, the end of the original one is not known.
  if (start === -1) return undefined;
  return stack
    .slice(start + message.length)
    .split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
    .replaceAll(root, '');
};

/** The kind of an error and where it arose. The message is not logged, since it may quote secrets. */
export const errorFacts = (error: unknown): { kind: string; at: string | undefined } =>
  error instanceof Error
    ? { kind: error.name, at: placeOf(error) }
    : { kind: typeof error, at: undefined };
