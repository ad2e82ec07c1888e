import { isObject } from '../is-object.ts';
import { bodyOf } from './body.ts';
import { type Call, type Caller, failed, isWrite } from './call.ts';
import { holderOf } from './credential-identity.ts';
import type { Problem } from './error.ts';
import type { FurtherMembers, Rule } from './operation.ts';
import type { TimeLimit } from './operation-time.ts';
import { checkIdentifier, isIdentifier } from './path.ts';
import type { Priority } from './priority.ts';
import type { ReadCall, SoughtRead } from './reads/read-call.ts';
import type { Ids, Row } from './row.ts';

export type ReadPriority = Extract<Priority, 'read' | 'deferred'>;

/** Which rows may be called. */
export interface Offer {
  readonly profile: string;
  /** Whether reads that the reference does not list may be sent. */
  readonly extendedReads: boolean;
}

/** What is needed to make a call. */
export interface CallParts {
  readonly row: Row;
  readonly ids: Ids;
  readonly body?: unknown;
  /** See `ReadCall`. */
  readonly mustBeSent?: boolean;
  readonly caller: Caller;
  readonly readPriority: ReadPriority;
  /** See `ReadCall`. */
  readonly isEarly: boolean;
}

/** How much time an operation needs after it has sent its last call, in milliseconds. */
export const timeToAnswerMs = 1000;

/** Throws one error that lists every breach; another one if it is not known where the row's objects are. */
export const checkRequest = (row: Row, ids: Ids, problems: readonly Problem[] = []): void => {
  if (row.api.below.some((name) => ids[name] === undefined)) {
    throw failed({ row }, { reason: 'no-service' });
  }
  const found: Problem[] = [];
  for (const name of row.path.parameters) {
    const problem = checkIdentifier(name, ids[name], row.api.identifiersOf(name));
    if (problem) found.push(problem);
  }
  found.push(...problems);
  if (found.length > 0) throw failed({ row }, { reason: 'invalid-request', problems: found });
};

/** Whether all identifiers of the row are valid. */
export const areIdentifiers = ({ path, api }: Row, ids: Ids): boolean =>
  path.parameters.every((name) => isIdentifier(ids[name], api.identifiersOf(name)));

export const isInProfile = ({ operation: { onlyIn } }: Row, profile: string): boolean =>
  onlyIn === undefined || onlyIn.includes(profile);

/** Throws if the profile does not have the operation. */
export const checkProfile = (row: Row, profile: string, members?: readonly string[]): void => {
  if (isInProfile(row, profile)) return;
  throw failed({ row }, { reason: 'not-in-profile', detail: profile, members });
};

/** Throws if the body has members that the profile lacks. */
const checkMembers = (row: Row, body: unknown, profile: string): void => {
  // The types of the rows ensure that it fits the body, but not through this function's types.
  const further = row.operation.further as FurtherMembers<unknown> | undefined;
  if (!further || further.onlyIn.includes(profile)) return;
  const members = further.namesIn(body);
  if (members.length > 0)
    throw failed({ row }, { reason: 'not-in-profile', detail: profile, members });
};

const isSwitchedOn = ({ operation }: Row, { extendedReads }: Offer): boolean =>
  operation.documented || extendedReads;

export const isOffered = (row: Row, offer: Offer): boolean =>
  isInProfile(row, offer.profile) && isSwitchedOn(row, offer);

/** The body in the service's form. */
const encoded = ({ operation, write }: Row, body: unknown): unknown => {
  const encode = operation.encode as ((body: unknown) => unknown) | undefined;
  const sent = encode ? encode(body) : body;
  return write && isObject(sent) ? write(sent) : sent;
};

/** The query of a read, with its `?`; empty if no member has a value. */
const queryOf = (members: unknown): string => {
  const given = Object.entries(isObject(members) ? members : {}).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

/** The credential of a call. Throws if the caller gave none, or none that can be sent. */
export const credentialOf = (
  { credential }: Caller,
  row: Row,
): Pick<Call, 'credential' | 'holder'> => {
  if (credential.kind === 'given') {
    return { credential: credential.value, holder: holderOf(credential) };
  }
  throw credential.kind === 'absent'
    ? failed({ row }, { reason: 'no-credential', detail: credential.expected })
    : failed({ row }, { reason: 'bad-credential', detail: credential.detail });
};

const limitOf = ({ time, signal, later }: Caller, priority: Priority): TimeLimit => {
  if (priority === 'write') return { signal, deadline: time.writeDeadline };
  return priority === 'deferred' ? later() : { signal, deadline: time.deadline };
};

/** Makes a call. Throws for all that can be wrong before it is sent; first, if the profile lacks the operation. */
export const callOf = (parts: CallParts, offer: Offer): ReadCall => {
  const { row, ids, body, mustBeSent = false, isEarly, caller } = parts;
  checkProfile(row, offer.profile);
  checkMembers(row, body, offer.profile);
  // The types of the rows ensure that the rule fits the body, but not through this function's types.
  const rule = row.operation.rule as Rule<unknown> | undefined;
  checkRequest(row, ids, rule?.(body));
  if (!isSwitchedOn(row, offer)) throw failed({ row }, { reason: 'switched-off' });
  const credential = credentialOf(caller, row);
  const isChange = isWrite({ row });
  const priority = isChange ? 'write' : parts.readPriority;
  const { signal, deadline } = limitOf(caller, priority);
  caller.secrets.note(body);
  const sent = body === undefined ? undefined : encoded(row, body);
  return {
    ...{ id: {}, row, ids, ...credential, caller, mustBeSent, isEarly, priority, signal },
    path: row.path.fill(ids) + (isChange ? '' : queryOf(sent)),
    body: isChange && sent !== undefined ? bodyOf(row, sent) : undefined,
    latest: deadline - timeToAnswerMs,
  };
};

/** The read for a lookup in memory; undefined if the gateway would refuse to send it. */
export const soughtOf = (
  { row, ids, caller }: Pick<CallParts, 'row' | 'ids' | 'caller'>,
  offer: Offer,
): SoughtRead | undefined => {
  const { credential } = caller;
  if (credential.kind !== 'given' || !isOffered(row, offer)) return undefined;
  if (!areIdentifiers(row, ids)) return undefined;
  return { row, holder: holderOf(credential), path: row.path.fill(ids), caller };
};
