import type { Pool } from 'undici';
import type { Headers } from './clients.ts';
import type { Stamp } from './names.ts';
import type { Page } from './scenarios.ts';
import { isWhole, type Payload, readPayload, type Shown } from './shown.ts';

/** The data that arrived at one moment of an answer in parts. */
export interface Arrival extends Pick<Shown, 'stamps' | 'asleep'> {
  /** Milliseconds since the request was sent. */
  readonly milliseconds: number;
  /** The time of arrival, on the clock of `Stamp`. */
  readonly at: number;
}

/** An answer in parts. */
export interface Parts {
  readonly arrivals: readonly Arrival[];
  /** Everything readable on the page has arrived, and the answer has ended correctly. */
  readonly whole: boolean;
}

/** Extracts the complete parts of a `multipart/mixed` body as it arrives. */
export const createPartReader = () => {
  let text = '';
  return (chunk: string): readonly Payload[] => {
    text += chunk;
    const blocks = text.split('\r\n---');
    text = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const head = block.indexOf('\r\n\r\n');
      return head < 0 ? [] : [JSON.parse(block.slice(head))];
    });
  };
};

/** In the order of the page, regardless of the order of arrival. */
const inOrder = (stamps: readonly Stamp[], { things }: Page): readonly Stamp[] => {
  const places = new Map(things.map((thing, place) => [thing, place]));
  const placeOf = ({ thing }: Stamp): number => places.get(thing) ?? things.length;
  return stamps.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/**
 * Requests a page in parts, with the `accept` header of Apollo Client. If the answer breaks off, the parts that have arrived
 * count.
 */
export const askInParts = async (pool: Pool, headers: Headers, page: Page): Promise<Parts> => {
  const began = performance.now();
  const arrivals: Arrival[] = [];
  let sound = true;
  let hasNext = true;
  const take = (payload: Payload): void => {
    const { stamps, asleep, sound: isSound } = readPayload(payload);
    const milliseconds = performance.now() - began;
    arrivals.push({ stamps, asleep, milliseconds, at: Date.now() });
    sound &&= isSound;
    hasNext = payload.hasNext ?? false;
  };
  const accept = 'multipart/mixed;deferSpec=20220824,application/json';
  const isBroken = await pool
    .request({
      ...{ method: 'POST', path: '/graphql', body: page.body },
      headers: { ...headers, accept },
      ...{ headersTimeout: 60_000, bodyTimeout: 60_000 },
    })
    .then(async ({ body, headers: { 'content-type': type = '' } }) => {
      if (!String(type).startsWith('multipart/mixed')) {
        take(JSON.parse(await body.text()));
        return;
      }
      const read = createPartReader();
      for await (const chunk of body.setEncoding('utf8')) read(chunk).forEach(take);
    })
    .then(
      () => false,
      () => true,
    );
  const stamps = inOrder(
    arrivals.flatMap((arrival) => arrival.stamps),
    page,
  );
  const asleep = arrivals.reduce((sum, arrival) => sum + arrival.asleep, 0);
  const whole = !isBroken && !hasNext && isWhole({ stamps, asleep, sound, waited: 0 }, page, 0);
  return { arrivals, whole };
};
