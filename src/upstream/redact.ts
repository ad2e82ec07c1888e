import { type Form, formsIn, longestText, type Secret } from './secret-forms.ts';

const placeholder = '[redacted]';

const isSame = (character: string | undefined, form: Form, index: number): boolean =>
  character !== undefined &&
  (character === form.text[index] || character === form.otherCase[index]);

/** How much of a form stands at a place of a text, from the form's start on. */
const lengthAt = (text: string, at: number, form: Form): number => {
  let length = 0;
  while (isSame(text[at + length], form, length)) length += 1;
  return length;
};

/** Notes for each character that belongs to a form that at its place ends further on than any before. */
const mark = (text: string, form: Form, ends: number[]): void => {
  let end = 0;
  for (let at = 0; at + form.least <= text.length; at += 1) {
    // Within what is found already only what ends further on counts. Else a text that repeats itself takes the square of its length.
    if (at < end && !isSame(text[end], form, end - at)) continue;
    const length = lengthAt(text, at, form);
    if (length < form.least) continue;
    end = Math.max(end, at + length);
    ends[at] = Math.max(ends[at] ?? 0, end);
  }
};

/**
 * Takes secrets out of a text, in all their forms: wherever one stands, and wherever its first eight characters or more do.
 * A secret of fewer characters is taken out as a whole only; one of fewer than four stays.
 *
 * @param text at most `longestText` characters: the time it takes grows with those, the secrets, and at worst their product
 */
export const redact = (text: string, secrets: Iterable<Secret>): string => {
  const ends: number[] = [];
  for (const form of formsIn(text, secrets)) mark(text, form, ends);
  if (ends.length === 0) return text;
  let clean = '';
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const found = ends[at] ?? 0;
    // What touches the one before is one with it.
    if (found > end) {
      if (at > end || end === 0) clean += placeholder;
      end = found;
    }
    if (at >= end) clean += text[at];
  }
  return clean;
};

/** The first line of a text, at most 500 characters of it, without secrets and control characters. */
export const firstLine = (text: string, secrets: Iterable<Secret>): string | undefined => {
  // Cut before the search: the beginning of a secret is found as well as the whole.
  const [line = ''] = text
    .trimStart()
    .slice(0, longestText)
    .split(/[\r\n\u2028\u2029]/, 1);
  return (
    redact(line.trimEnd(), secrets)
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, 500) || undefined
  );
};
