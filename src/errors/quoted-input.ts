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

/** The reasons of coercion errors whose wording is known. Reasons of a later graphql-js may quote a secret. */
const known =
  /^(?:Field "[\s\S]*" (?:of required type|is not defined by type|must be non-null)|Exactly one key must be specified|Expected (?:non-nullable )?type "|(?:\w+|Enum "\w+") cannot represent |Value "[\s\S]*" does not exist in |(?:Date|DateTime|SafeInt) must be )/;

const quoteless = (message: string): string =>
  message
    .replace(/^([^"]*)Value "[\s\S]*" does not exist in/, '$1The value does not exist in')
    .replace(
      /^Field "[^"]*"(?! (?:of|is|must) )[\s\S]*" is not defined/,
      'The field is not defined',
    )
    .replace(/(?:[,.;])? (?:got|found|Found):? [\s\S]*$/, '.')
    .replace(/ value: [\s\S]*$/, ' value.');

const withoutVariable = (head: string, quoted: string, reason: string | undefined): string => {
  const why = reason !== undefined && known.test(reason) ? reason : undefined;
  const before = why === undefined ? quoted : quoted.slice(0, -why.length - 2);
  if (why !== undefined && aboutFlatValue.test(why) && !/^[{[]/.test(before)) {
    return `${head} got invalid value ${quoted}`;
  }
  const at = before.match(/ at "([\w.[\]]+)"$/)?.[1];
  const place = at === undefined ? '' : ` at "${at}"`;
  return `${head} got an invalid value${place}; ${quoteless(why ?? 'It does not fit its type.')}`;
};

/**
 * The message of a syntax, validation or coercion error, without anything that could be a secret.
 *
 * @param reason the end of the message of a coercion error: why the value before it does not fit
 */
export const withoutQuotedInput = (message: string, reason?: string): string => {
  const head = message.slice(0, 200).match(/^Variable "\$\w+"(?= got invalid value )/)?.[0];
  if (message.length > longest) {
    return `${head ?? 'The operation'} holds a value that does not fit, and is too long to show.`;
  }
  if (message.startsWith('Syntax Error')) {
    return message.replace(/\b(String|BlockString|Int|Float) "[\s\S]*"/, '$1');
  }
  if (head !== undefined) {
    const quoted = message.slice(head.length + ' got invalid value '.length);
    return withoutVariable(head, quoted, reason);
  }
  return aboutFlatValue.test(message) ? message : quoteless(message);
};
