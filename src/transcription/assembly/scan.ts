/**
 * Where values of JSON (RFC 8259) end. Each function is given the place of a value and gives the
 * place behind it, or 0 where there is none: what these let through, JSON.parse takes. Input ends
 * with zeros, which nothing in JSON has.
 */

export const quote: u8 = 0x22;
export const comma: u8 = 0x2c;
export const openBracket: u8 = 0x5b;
export const backslash: u8 = 0x5c;
export const closeBracket: u8 = 0x5d;
export const letterN: u8 = 0x6e;
export const openBrace: u8 = 0x7b;
export const closeBrace: u8 = 0x7d;

const space: u8 = 0x20;
const colon: u8 = 0x3a;

/** Deeper values are left to JSON.parse, which has no stack to overflow. */
const maxDepth: i32 = 64;

/** The first byte that is no white space. */
export function skipSpace(start: usize): usize {
  let at = start;
  while (true) {
    const byte = load<u8>(at);
    if (byte > space || (byte !== space && byte !== 0x0a && byte !== 0x0d && byte !== 0x09))
      return at;
    at += 1;
  }
}

function isHex(byte: u8): bool {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/** From the backslash of an escape. */
function skipEscape(start: usize): usize {
  const byte = load<u8>(start + 1);
  if (byte === 0x75) {
    for (let at = start + 2; at < start + 6; at += 1) if (!isHex(load<u8>(at))) return 0;
    return start + 6;
  }
  // Quote, solidus, backslash, and the letters b, f, n, r, t.
  const known =
    byte === quote ||
    byte === 0x2f ||
    byte === backslash ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === letterN ||
    byte === 0x72 ||
    byte === 0x74;
  return known ? start + 2 : 0;
}

/**
 * The next byte that is a quote, a backslash or a control character: sixteen are looked at
 * together.
 */
export function findSpecial(start: usize): usize {
  let at = start;
  while (true) {
    const bytes = v128.load(at);
    const special = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    );
    const found = i8x16.bitmask(special);
    if (found !== 0) return at + <usize>ctz(found);
    at += 16;
  }
}

export function skipString(start: usize): usize {
  let at = start + 1;
  while (true) {
    at = findSpecial(at);
    const byte = load<u8>(at);
    if (byte === quote) return at + 1;
    if (byte !== backslash) return 0;
    at = skipEscape(at);
    if (at === 0) return 0;
  }
}

function skipDigits(start: usize): usize {
  let at = start;
  while (load<u8>(at) - 0x30 <= 9) at += 1;
  return at;
}

function skipNumber(start: usize): usize {
  const first = load<u8>(start) === 0x2d ? start + 1 : start;
  let at = skipDigits(first);
  if (at === first || (load<u8>(first) === 0x30 && at > first + 1)) return 0;
  if (load<u8>(at) === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(fraction);
    if (at === fraction) return 0;
  }
  if ((load<u8>(at) | 0x20) === 0x65) {
    const sign = load<u8>(at + 1);
    const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    at = skipDigits(exponent);
    if (at === exponent) return 0;
  }
  return at;
}

function skipArray(start: usize, depth: i32): usize {
  let at = skipSpace(start + 1);
  if (load<u8>(at) === closeBracket) return at + 1;
  while (true) {
    at = skipAt(at, depth + 1);
    if (at === 0) return 0;
    at = skipSpace(at);
    const byte = load<u8>(at);
    if (byte === closeBracket) return at + 1;
    if (byte !== comma) return 0;
    at = skipSpace(at + 1);
  }
}

/** From the end of a member's name to its value. */
export function skipColon(end: usize): usize {
  const at = skipSpace(end);
  return load<u8>(at) === colon ? skipSpace(at + 1) : 0;
}

function skipObject(start: usize, depth: i32): usize {
  let at = skipSpace(start + 1);
  if (load<u8>(at) === closeBrace) return at + 1;
  while (true) {
    if (load<u8>(at) !== quote) return 0;
    at = skipString(at);
    if (at === 0) return 0;
    at = skipColon(at);
    if (at === 0) return 0;
    at = skipAt(at, depth + 1);
    if (at === 0) return 0;
    at = skipSpace(at);
    const byte = load<u8>(at);
    if (byte === closeBrace) return at + 1;
    if (byte !== comma) return 0;
    at = skipSpace(at + 1);
  }
}

function skipAt(start: usize, depth: i32): usize {
  const byte = load<u8>(start);
  if (byte === quote) return skipString(start);
  if (depth > maxDepth) return 0;
  if (byte === openBrace) return skipObject(start, depth);
  if (byte === openBracket) return skipArray(start, depth);
  // The letters of null, true and false, in the order in which memory has them.
  if (byte === letterN) return load<u32>(start) === 0x6c6c756e ? start + 4 : 0;
  if (byte === 0x74) return load<u32>(start) === 0x65757274 ? start + 4 : 0;
  if (byte === 0x66) return load<u32>(start + 1) === 0x65736c61 ? start + 5 : 0;
  return skipNumber(start);
}

export function skipValue(start: usize): usize {
  return skipAt(start, 0);
}
