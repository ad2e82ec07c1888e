import { isObject } from '../is-object.ts';
import { type Call, type Caller, failed } from './call.ts';
import type { Problem } from './error.ts';
import { holderOf } from './holder.ts';
import { checkIdentifier, isIdentifier } from './path.ts';
import type { Ids, Row } from './row.ts';

/** Throws one error with every breach, before anything is sent. */
export const checkRequest = (row: Row, ids: Ids, problems: readonly Problem[] = []): void => {
  const found = [
    ...row.path.parameters
      .map((name) => checkIdentifier(name, ids[name], row.api.identifiers))
      .filter((problem) => problem !== undefined),
    ...problems,
  ];
  if (found.length > 0) throw failed({ row }, { reason: 'invalid-request', problems: found });
};

/** Whether all identifiers of the row are valid. */
export const areIdentifiers = ({ path, api }: Row, ids: Ids): boolean =>
  path.parameters.every((name) => isIdentifier(ids[name], api.identifiers));

export const isInProfile = ({ operation: { onlyIn } }: Row, profile: string): boolean =>
  onlyIn === undefined || onlyIn.includes(profile);

/** Throws if the profile does not have the operation. */
export const checkProfile = (row: Row, profile: string, members?: readonly string[]): void => {
  if (isInProfile(row, profile)) return;
  throw failed({ row }, { reason: 'not-in-profile', detail: profile, members });
};

/** The body in the service's form. */
export const encoded = ({ operation, write }: Row, body: unknown): unknown => {
  const encode = operation.encode as ((body: unknown) => unknown) | undefined;
  const sent = encode ? encode(body) : body;
  return write && isObject(sent) ? write(sent) : sent;
};

/** The query of a read, with its `?`; empty if no member has a value. */
export const queryOf = (members: unknown): string => {
  const given = Object.entries(isObject(members) ? members : {}).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

/** The credential of a call; throws if the caller gave none that can be sent. */
export const credentialOf = (
  { credential }: Caller,
  row: Row,
): Pick<Call, 'credential' | 'holder'> => {
  if (credential.kind === 'given') {
    return { credential: credential.value, holder: holderOf(credential) };
  }
  throw credential.kind === 'absent'
    ? failed({ row }, { reason: 'no-credential' })
    : failed({ row }, { reason: 'bad-credential', detail: credential.detail });
};
