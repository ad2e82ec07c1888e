import { isTurnOver, Turns } from '../yield.ts';

/** Response data of more than this number of characters is large. */
const largeSize = 1_000_000;

const large = new WeakSet<object>();

/** Notes about how many characters response data has. */
export const noteSize = (data: object, characters: number): void => {
  if (characters > largeSize) large.add(data);
};

/** Whether response data is so large that its JSON should be made by `jsonInTurns`. */
export const isLarge = (data: object | null | undefined): boolean =>
  data !== null && data !== undefined && large.has(data);

/** How many pieces are written before the time is checked again. */
const piecesAtOnce = 16;

const isComposite = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** The JSON of response data, in pieces no larger than an object without objects or lists. */
function* piecesOf(value: unknown): Generator<string, void> {
  if (!isComposite(value) || !Object.values(value).some(isComposite)) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const [key, member] of Object.entries(value)) {
    // Keys of a response are GraphQL names, which need no escapes in JSON.
    yield isList ? separator : `${separator}"${key}":`;
    yield* piecesOf(member);
    separator = ',';
  }
  yield isList ? ']' : '}';
}

/** The JSON of response data, as `JSON.stringify` writes it, made in several turns of the event loop. */
export const jsonInTurns = async (data: unknown): Promise<string> => {
  const turns = new Turns();
  const texts: string[] = [];
  let pieces: string[] = [];
  for (const piece of piecesOf(data)) {
    pieces.push(piece);
    if (pieces.length % piecesAtOnce > 0 || !isTurnOver()) continue;
    texts.push(pieces.join(''));
    pieces = [];
    await turns.giveWay();
  }
  return [...texts, ...pieces].join('');
};
