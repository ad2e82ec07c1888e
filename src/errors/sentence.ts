/** The longest message that is made of an upstream's words, in characters. */
const longest = 500;

/** An upstream’s own code in front of its sentence, such as `BAD_REQUEST: `. Shorter ones, such as `URL: `, are words. */
const code = /^[A-Z][A-Z0-9_]{3,63}:(?: |$)/;

/** The end of a sentence, inside quotation marks or brackets as well. */
const end = /[.!?…。！？]["'”’»)\]]{0,2}$/;

/**
 * An upstream's words as a sentence that can be shown to a user: without the upstream's own code, and with a
 * full stop. Undefined where no words are left.
 *
 * @param words one line of at most `longest` characters
 */
export const sentence = (words: string): string | undefined => {
  const text = words.replace(code, '').trim();
  if (text === '') return undefined;
  if (end.test(text)) return text;
  return `${text.slice(0, longest - 1).replace(/[,;:]$/, '')}.`;
};
