import { timingSafeEqual } from 'node:crypto';
import { isObject } from '../is-object.ts';
import type { JsonObject } from './protocol.ts';

/** Signs a text with a key that is derived from the caller's credentials. */
export type Sign = (text: string) => string;

/** What a plan id stands for. */
export interface Basis {
  readonly tool: string;
  readonly given: JsonObject;
  /** What was read before the change, member by member. */
  readonly read: JsonObject;
}

/** How long a plan is valid, in milliseconds. */
export const validMs = 300_000;
const validSeconds = validMs / 1000;

/** What changes by itself. A plan is about the rest. */
const ofTheMoment = /^(?:state|phase|silenced)$|(?:At|Until)$/;

/** JSON that is equal for equal values. */
const canonical = (value: unknown, isLeftOut: (name: string) => boolean = () => false): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (!isObject(member)) return member;
    const kept = Object.entries(member).filter(([name]) => !isLeftOut(name));
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  });

const settled = (value: unknown): string => canonical(value, (name) => ofTheMoment.test(name));

const shortDigest = 4;
const digest = 16;

const namesOf = (read: JsonObject): readonly string[] =>
  Object.keys(read)
    .filter((name) => !ofTheMoment.test(name))
    .sort();

/** The parts of an id that say what it is about. The short digests tell which member has changed. */
const partsOf = (sign: Sign, { tool, given, read }: Basis): readonly string[] => [
  sign(`arguments ${canonical([tool, given])}`).slice(0, digest),
  sign(`read ${settled(read)}`).slice(0, digest),
  namesOf(read)
    .map((name) => sign(`member ${name} ${settled(read[name])}`).slice(0, shortDigest))
    .join(''),
];

const macOf = (sign: Sign, content: string): string => sign(`plan ${content}`).slice(0, digest * 2);

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** @param now milliseconds since 1970, as in `Date.now()`: replicas have only that in common */
export const planIdOf = (sign: Sign, basis: Basis, now: number): string => {
  const expires = Math.floor(now / 1000) + validSeconds;
  const content = [expires.toString(36), ...partsOf(sign, basis)].join('.');
  return `${content}.${macOf(sign, content)}`;
};

const again = 'Nothing was sent. Call without planId for a new plan, and show it to the user.';

/** Why a plan id does not permit the change; undefined if it does. */
export const faultOfPlanId = (
  sign: Sign,
  planId: string,
  basis: Basis,
  now: number,
): string | undefined => {
  const [expires = '', given = '', read = '', members = ''] = planId.split('.');
  const content = [expires, given, read, members].join('.');
  if (!isSame(planId, `${content}.${macOf(sign, content)}`)) {
    return `planId is none that was made for this credential, or is not whole. ${again}`;
  }
  if (Number.parseInt(expires, 36) * 1000 <= now) {
    return `planId has expired: a plan is valid for ${validSeconds / 60} minutes. ${again}`;
  }
  const [givenNow = '', readNow = '', membersNow = ''] = partsOf(sign, basis);
  if (!isSame(given, givenNow)) {
    return `planId belongs to other arguments: give those of the plan, or another plan. ${again}`;
  }
  if (isSame(read, readNow)) return undefined;
  const at = (index: number) => [index * shortDigest, (index + 1) * shortDigest] as const;
  const changed = namesOf(basis.read).filter(
    (_, index) => members.slice(...at(index)) !== membersNow.slice(...at(index)),
  );
  return `Since the plan was made, this has changed: ${changed.join(', ')}. Nothing was sent. If this plan was carried out already, the change is made: look first. Else call without planId for a new plan, and show it to the user.`;
};
