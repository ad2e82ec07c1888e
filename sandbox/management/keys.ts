import { isoDateTime } from '../formats.ts';
import { Refusal } from '../refusal.ts';
import type { Call, Route } from '../routes.ts';
import { list, object, oneOf, type Reader, text } from '../rules.ts';
import { base64Digest } from './access.ts';
import type { AccessEntry } from './records.ts';
import { type ApiKey, findOrganization, type ManagementState, route } from './state.ts';

// The documented rule 2: empty means the same as absent.
const expiry: Reader<string | undefined> = (value, at) =>
  value === '' ? undefined : isoDateTime(value, at);

/** A list of allowed addresses. */
export const accessListOf = (source: Reader<string>): Reader<readonly AccessEntry[]> =>
  list((value, at) => ({
    description: '',
    ...object({ source }, { description: text })(value, at),
  }));

const createBody = object(
  { name: text, roles: list(oneOf('admin', 'developer', 'query_endpoints'), 1) },
  {
    expireAt: expiry,
    state: oneOf('enabled', 'disabled'),
    hashData: object({ keyIdHash: text, keyIdSuffix: text, keySecretHash: text }, {}),
    ipAccessList: accessListOf(text),
  },
);

type Halves = {
  readonly idHash: string;
  readonly secretHash: string;
  readonly suffix: string;
  /** Secrets in the answer: the key id and key secret, unless the caller made them. */
  readonly shown: { readonly keyId?: string; readonly keySecret?: string };
};

const generate = ({ sequence }: ManagementState<unknown>): Halves => {
  const keyId = sequence.word('sandbox-key');
  const keySecret = sequence.word('sandbox-secret');
  return {
    idHash: base64Digest(keyId),
    secretHash: base64Digest(keySecret),
    suffix: keyId.slice(-4),
    shown: { keyId, keySecret },
  };
};

/** Key creation (documented rule 2). A key works from the moment of its answer. */
export const createKey = (
  state: ManagementState<unknown>,
  call: Call<ApiKey, 'organizationId'>,
) => {
  const { record } = findOrganization(state, call);
  const { name, roles, expireAt, hashData, ipAccessList = [], ...body } = createBody(call.body, '');
  const { idHash, secretHash, suffix, shown } = hashData
    ? {
        idHash: hashData.keyIdHash,
        secretHash: hashData.keySecretHash,
        suffix: hashData.keyIdSuffix,
        shown: {},
      }
    : generate(state);
  if (state.keys.has(idHash)) throw new Refusal(409, 'a key with this key id exists');

  const expiry = expireAt === undefined ? {} : { expireAt };
  const id = state.sequence.uuid();
  const createdAt = state.clock().toISOString();
  state.keys.set(idHash, {
    id,
    name,
    keySuffix: suffix,
    createdAt,
    organizationId: record.id,
    idHash,
    secretHash,
    roles,
    state: body.state ?? 'enabled',
    ipAccessList,
    ...expiry,
  });
  const key = {
    id,
    name,
    roles,
    keySuffix: suffix,
    createdAt,
    // usedAt is absent: the key has not been used yet.
    ipAccessList,
    ...expiry,
  };
  return { key, ...shown };
};

/** The documented operation on keys. */
export const keyRoutes = (state: ManagementState<unknown>): readonly Route<ApiKey>[] => [
  route('POST', '/v1/organizations/{organizationId}/keys', (call) => createKey(state, call)),
];
