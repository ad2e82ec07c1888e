/** The most characters of one text of an upstream, in an answer to a read and in an answer to a write. */
export const longest = { read: 2000, write: 200 } as const;

/** Characters that are invisible, or change the order of others: they could show the agent what people do not see. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** The text with `\uXXXX` in place of each invisible character. JSON keeps its meaning. */
export const visible = (text: string): string => text.replaceAll(unseen, escaped);

/** The text, or the beginning of a longer one. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (cut)`;

/** A value as JSON for an agent: without nulls, long texts, invisible characters, and the empty `userErrors` of a write. */
export const toText = (value: object, most: number): string => {
  const shown = (name: string, member: unknown): unknown => {
    if (name === 'userErrors' && Array.isArray(member) && member.length === 0) return undefined;
    return typeof member === 'string' ? cut(member, most) : (member ?? undefined);
  };
  return visible(JSON.stringify(value, shown));
};

/** Clients write one letter in several ways: `é` is one character, or `e` and an accent. */
const comparable = (text: string): string => visible(text.normalize());

/** Whether a text is the present one, either exactly or as an answer showed it. */
export const isSame = (given: unknown, present: unknown): boolean => {
  if (typeof given !== 'string' || typeof present !== 'string') return false;
  const shown = Object.values(longest).flatMap((most) => {
    const text = cut(present, most);
    return [text, JSON.stringify(text).slice(1, -1)];
  });
  return [present, ...shown].some((each) => comparable(each) === comparable(given));
};

/** What a value of JSON is, in words. */
export const kindOf = (value: unknown): string => {
  if (value === undefined || value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};
