/** The longest message made from an upstream's words, in characters. */
const longestMessage = 500;

/**
 * An upstream's own code before its sentence, such as `BAD_REQUEST: `. A shorter prefix, such as `URL: `, is a word.
 */
const code = /^[A-Z][A-Z0-9_]{3,63}:(?: |$)/;

/** The end of a sentence, also inside quotation marks or brackets. */
const end = /[.!?…。！？]["'”’»)\]]{0,2}$/;

/** A message with a full stop, cut to the greatest length. */
export const withStop = (words: string, longest = longestMessage): string => {
  const text = words.trim();
  if (text.length <= longest && end.test(text)) return text;
  return `${text.slice(0, longest - 1).replace(/[,;:]$/, '')}.`;
};

/**
 * An upstream's message as a sentence for users: without the upstream's own code, and with a full stop. Undefined if
 * nothing is left.
 *
 * @param words the message in one line
 */
export const sentence = (words: string, longest?: number): string | undefined => {
  const text = words.replace(code, '').trim();
  return text === '' ? undefined : withStop(text, longest);
};
