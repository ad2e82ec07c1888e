import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * The gateway's log: JSON lines on standard output, or where `destination` says. Every call names the
 * members it logs; requests, headers, variables and answers are never among them.
 */
export const createLog = (destination?: DestinationStream): Log =>
  destination ? pino({ base: null }, destination) : pino({ base: null });

/** What may be logged of an error: its kind and where it arose. Messages can quote what they should not. */
export const errorFacts = (error: unknown): { kind: string; at: string | undefined } =>
  error instanceof Error
    ? {
        kind: error.name,
        at: error.stack
          ?.split('\n')
          .find((line) => /^\s+at /.test(line))
          ?.trim(),
      }
    : { kind: typeof error, at: undefined };
