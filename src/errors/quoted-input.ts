/**
 * GraphQL's messages about bad input quote the input, which may hold passwords and keys, and in a misspelt
 * document at any place. Every secret is a string, or an object that holds strings. So a message keeps its
 * quotation only if the expected type is neither String nor ID, and the value is no object or list.
 */

/** In characters. Nobody reads a longer message, and the patterns would take long for it. */
const longest = 2000;

/** Coercion errors for a type other than String and ID, with a value that is neither an object nor a list. */
const aboutFlatValue =
  /^(?:(?:Int|Float|Boolean|SafeInt|Date|DateTime|Enum "\w+") (?:cannot represent|must be) |Value "[^"]*" does not exist in "\w+" enum|Expected (?:value of )?type "(?:Int|Float|Boolean|SafeInt|Date|DateTime|Enum "\w+")!?")(?!.*: [{[])/;

/** The reasons of graphql 16 and 17, whose wording is known. Reasons of a later graphql-js may quote a secret. */
const known =
  /^(?:Field "[\s\S]*" (?:of required type|is not defined by type|must be non-null)|Exactly one key must be specified|Within OneOf Input Object type "|Expected (?:(?:a )?value of )?(?:non-null(?:able)? )?type "|(?:\w+|Enum "\w+") cannot represent |Value "[\s\S]*" does not exist in |(?:Date|DateTime|SafeInt) must be )/;

const quoteless = (message: string): string =>
  message
    .replace(/^([^"]*)Value "[\s\S]*" does not exist in/, '$1The value does not exist in')
    .replace(
      /^Field "[^"]*"(?! (?:of|is|must) )[\s\S]*" is not defined/,
      'The field is not defined',
    )
    .replace(/unknown field "(?!\w+"[,.])[\s\S]*$/, 'an unknown field.')
    .replace(/(?<=\?) Found: [\s\S]*$/, '')
    .replace(/[,.;]? (?:got|found|but encountered error):? [\s\S]*$/i, '.')
    .replace(/ value: [\s\S]*$/, ' value.');

const withoutObject = (message: string): string =>
  aboutFlatValue.test(message) ? message : quoteless(message);

/** @param quoted what stands behind the head: graphql 16 quotes the whole value there, and 17 parts of it in the reason */
const withoutValue = (head: string, quoted: string, reason: string | undefined): string => {
  if (reason === undefined || !known.test(reason)) {
    return `${head} got an invalid value; It does not fit its type.`;
  }
  const before = quoted.slice(0, -reason.length - 2);
  const [, whole, below] = / at (?:"([\w.[\]]+)"|([\w.[\]]+))$/.exec(before) ?? [];
  const at = whole ?? (below && `${head.match(/\w+/g)?.at(-1)}${below}`);
  return `${head} got an invalid value${at ? ` at "${at}"` : ''}; ${withoutObject(reason)}`;
};

const beforeValue =
  /^(?:Variable "\$\w+"|Argument "[^"]+")(?= (?:got|has) invalid (?:default )?value\b)/;

/**
 * The message of a syntax, validation or coercion error, without anything that could be a secret.
 *
 * @param reason the end of the message of a coercion error: why the value before it does not fit
 */
export const withoutQuotedInput = (message: string, reason?: string): string => {
  const head = beforeValue.exec(message.slice(0, 200))?.[0];
  if (message.length > longest) {
    return `${head ?? 'The operation'} holds a value that does not fit, and is too long to show.`;
  }
  if (message.startsWith('Syntax Error')) {
    return message.replace(/\b(String|BlockString|Int|Float) "[\s\S]*"/, '$1');
  }
  if (head !== undefined) return withoutValue(head, message.slice(head.length), reason);
  return withoutObject(message);
};
