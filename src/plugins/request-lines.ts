import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { idsOf } from '../request/call-facts.ts';
import { createShownFingerprint, deploymentSecretOf } from '../upstream/credential-identity.ts';
import { upstreamNames } from '../upstream/error.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { CallerRequest } from './caller.ts';

/** How a request ended. */
interface Outcome extends Readonly<Record<string, unknown>> {
  readonly status: number;
  readonly operationType?: string;
  readonly dryRun?: boolean;
  readonly codes?: readonly unknown[];
}

/** Writes the log line of a request: the ids, all members of the outcome, and no other data of the request. */
export type WriteLine = (
  message: 'operation' | 'subscription' | 'request',
  req: IncomingMessage,
  request: Pick<CallerRequest, 'caller' | 'began'>,
  outcome: Outcome,
) => void;

interface LineOptions {
  readonly log: Log;
  readonly config: Pick<Config, 'cacheSecret' | 'logSuccessPercent'>;
  /** How the request came, if not as GraphQL. */
  readonly wayOf: (req: IncomingMessage) => 'mcp' | 'rest' | undefined;
}

/** A success that took this long or longer always has a line, in milliseconds. */
const slowMs = 5000;

/** Chooses by the id alone, so that all replicas choose alike, and either all requests of a trace or none. */
const isChosen = ({ traceId, requestId }: UpstreamCaller, percent: number): boolean =>
  Number.parseInt(hash('sha256', traceId ?? requestId).slice(0, 8), 16) < (percent / 100) * 2 ** 32;

export const createRequestLines = ({
  log,
  config: { cacheSecret, logSuccessPercent },
  wayOf,
}: LineOptions): WriteLine => {
  const fingerprintOf = createShownFingerprint(deploymentSecretOf(cacheSecret));
  const credentialsOf = ({ credentials }: UpstreamCaller) => {
    const given = upstreamNames.flatMap((upstream) => {
      const credential = credentials[upstream];
      return credential.kind === 'given' ? [[upstream, fingerprintOf(credential.value)]] : [];
    });
    return Object.fromEntries(given);
  };
  return (message, req, { caller, began }, outcome) => {
    const { status, operationType, dryRun = false, codes = [] } = outcome;
    const passed = performance.now() - began;
    const way = wayOf(req);
    const isMutation = operationType === 'mutation' && !dryRun;
    const isChange = isMutation || (way === 'rest' && req.method !== 'GET');
    const isQuiet = status < 400 && codes.length === 0 && !isChange && passed < slowMs;
    if (isQuiet && !isChosen(caller, logSuccessPercent)) return;
    log.info(
      {
        ...idsOf(caller),
        ...(way && { way }),
        ...outcome,
        milliseconds: Math.round(passed * 10) / 10,
        credentials: credentialsOf(caller),
      },
      message,
    );
  };
};
