const opening = '([{';
const closing = ')]}';
const quotes = '\'"`';

/** Splits expressions at commas. A comma in brackets or quotes belongs to its expression. */
export const splitExpressions = (text: string): readonly string[] => {
  const expressions: string[] = [];
  let start = 0;
  let depth = 0;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (quotes.includes(character)) quote = character;
    else if (opening.includes(character)) depth += 1;
    else if (closing.includes(character)) depth -= 1;
    else if (character === ',' && depth <= 0) {
      expressions.push(text.slice(start, at));
      start = at + 1;
    }
  }
  expressions.push(text.slice(start));
  return expressions.map((expression) => expression.trim()).filter((each) => each !== '');
};
