import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Refusal } from '../refusal.ts';
import type { AccessEntry } from './records.ts';
import type { ApiKey, ManagementState } from './state.ts';

/** The base64 encoding of a text's raw SHA-256 digest: `hashData` has one for the key id and one for the key secret. */
export const base64Digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64');

const readBasic = (header: string | undefined): { id: string; secret: string } | undefined => {
  const [, encoded] = /^basic +([a-z0-9+/]+=*)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : { id: pair.slice(0, colon), secret: pair.slice(colon + 1) };
};

const admits = (entries: readonly AccessEntry[], address: string): boolean => {
  const allowed = new BlockList();
  for (const { source } of entries) {
    const [ip = '', bits] = source.split('/');
    const family = isIP(ip);
    const widest = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? widest : Number(bits);
    // A source that is not an address allows nobody.
    if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > widest) continue;
    allowed.addSubnet(ip, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
};

const isExpired = (key: ApiKey, now: Date): boolean =>
  key.expireAt !== undefined && Date.parse(key.expireAt) <= now.getTime();

/**
 * The API key for a request's Basic credential. Missing, unknown, disabled and expired keys get the same 401; an enabled key
 * used from an address outside its ipAccessList gets a 403.
 */
export const authenticate = (state: ManagementState<unknown>, request: IncomingMessage): ApiKey => {
  const basic = readBasic(request.headers.authorization);
  const key = basic && state.keys.get(base64Digest(basic.id));
  if (
    !key ||
    key.secretHash !== base64Digest(basic.secret) ||
    key.state === 'disabled' ||
    isExpired(key, state.clock())
  ) {
    throw new Refusal(401, 'a valid API key is required');
  }
  if (
    key.ipAccessList.length > 0 &&
    !admits(key.ipAccessList, request.socket.remoteAddress ?? '')
  ) {
    throw new Refusal(403, 'the key may not be used from this address');
  }
  return key;
};
