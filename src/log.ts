import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

type LogFormat = 'json' | 'pretty';

/** A log of JSON lines. Every call names the members it logs; requests, headers, variables and responses never are. */
export const createLog = (destination: DestinationStream): Log => pino({ base: null }, destination);

const standardOutput = 1;

/** Lines that cannot be written wait here, up to this; then they are lost. */
const maxWaitingBytes = 1024 * 1024;

/** How soon it is tried again to write lines that wait, in milliseconds. */
const againMs = 100;

/**
 * Standard output. Lines are written at once (`sync`, which is pino's default), so none is lost when the process ends,
 * however it ends. The price is that a reader who stalls makes the gateway wait, until Node opens standard output itself
 * (`Readable.pipe` does): from then on lines wait instead, and the process ends once they are written.
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
      // Otherwise what waits would be written with the next line, which may come hours later.
      if (!isDue) setTimeout(writeWaiting, againMs);
      isDue = true;
      // To try again at once would wait in this thread for a reader, and serve nobody.
      return false;
    },
  });
  // pino falls silent itself where the reader has gone (EPIPE). Nor is a full disk or a closed terminal a reason to stop.
  output.on('error', () => undefined);
  return output;
};

/** pino-pretty is a development dependency. */
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

/**
 * The log on standard output: JSON, or lines for people, which are the default in a terminal. JSON too where
 * pino-pretty is not installed.
 */
export const openLog = async (
  format: LogFormat = isatty(standardOutput) ? 'pretty' : 'json',
): Promise<Log> => {
  const output = openOutput();
  return createLog(format === 'pretty' ? await openPretty(output) : output);
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
