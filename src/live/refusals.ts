import { type ExecutionResult, GraphQLError } from 'graphql';
import type { UpstreamName } from '../upstream/error.ts';
import type { StreamEnd } from './stream.ts';

/** Why a stream is not opened: the answer to its request. */
export type Refusal = ExecutionResult;

/** How soon a client may retry if the reason may pass, in seconds. */
const againSeconds = 5;

const limitExceeded = (words: string, allowed: number, passes: boolean): Refusal => {
  const retry = passes && { retryable: true, retryAfterSeconds: againSeconds };
  const extensions = { code: 'LIMIT_EXCEEDED', limit: 'streams', allowed, ...retry };
  const message = `Too many subscriptions ${words}: at most ${allowed} may be open at a time.`;
  return { errors: [new GraphQLError(message, { extensions })] };
};

export const tooManyInAll = (allowed: number, passes: boolean): Refusal =>
  limitExceeded('are open', allowed, passes);

export const tooManyOfOne = (allowed: number): Refusal =>
  limitExceeded('use this credential', allowed, false);

export const tooManyUnproven = (allowed: number): Refusal =>
  limitExceeded('use credentials that no upstream has accepted lately', allowed, true);

export const notAcceptedYet = (upstream: UpstreamName, allowed: number): Refusal =>
  limitExceeded(`use this credential, which ${upstream} has not accepted yet`, allowed, true);

export const credentialRefused = (upstream: UpstreamName): Refusal => {
  const message = `The credential for ${upstream} was refused just now.`;
  const error = new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } });
  return { errors: [error], extensions: { ended: 'credential refused' satisfies StreamEnd } };
};
