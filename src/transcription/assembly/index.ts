import { gapAt, writeLeaf, writeMade } from './host';
import { cellSize, outputEnd, slack, tapeStart } from './memory';
import {
  boolean,
  fieldCount,
  fieldKind,
  fieldNumber,
  fieldSize,
  fieldsOf,
  fieldWithin,
  float,
  int,
  isConstant,
  isLeaf,
  isList,
  isMade,
  isMember,
  isNullable,
  isObject,
  leafKind,
  leafNumber,
  nameLength,
  nameText,
  shapeKind,
  shapeWithin,
  slotCount,
  slotShape,
  string,
} from './plan';
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  findSpecial,
  letterN,
  openBrace,
  openBracket,
  quote,
  skipSpace,
  skipValue,
} from './scan';
import { cellEnd, cellStart, isRead, nextItem, readRow } from './tape';

/**
 * Writes rows of JSON as a plan says. Each function gives the end of what it has written, or 0
 * where something is not as expected, or does not fit.
 */

function copy(from: usize, length: usize, to: usize): usize {
  if (to + length + slack > outputEnd) return 0;
  if (length > 64) memory.copy(to, from, length);
  else
    for (let done: usize = 0; done < length; done += 16)
      v128.store(to + done, v128.load(from + done));
  return to + length;
}

function put(byte: u8, to: usize): usize {
  if (to + slack > outputEnd) return 0;
  store<u8>(to, byte);
  return to + 1;
}

function writeNull(shape: usize, to: usize): usize {
  if (!isNullable(shape) || to + slack > outputEnd) return 0;
  store<u32>(to, 0x6c6c756e);
  return to + 4;
}

/**
 * Whether JSON.stringify would write a string as it stands there: with no escape but the short
 * ones, or a solidus.
 */
function isStringAsItIs(start: usize, end: usize): bool {
  let at = start + 1;
  while (true) {
    at = findSpecial(at);
    if (at >= end - 1) return true;
    // There is no control character in it, and no other quote.
    const byte = load<u8>(at + 1);
    if (load<u8>(at) !== backslash || byte === 0x2f || byte === 0x75) return false;
    at += 2;
  }
}

/**
 * Digits that any number of JavaScript has as they are written, and those of whole ones of less
 * than 32 bits.
 */
const exactDigits: usize = 15;
const smallDigits: usize = 9;

/**
 * Whether JSON.stringify would write a number as it stands there, and as a small whole one if that
 * is wanted. Many that it would are turned down too: those with an exponent, long ones, and small
 * fractions of one.
 */
function isNumberAsItIs(start: usize, end: usize, whole: bool): bool {
  const first = load<u8>(start) === 0x2d ? start + 1 : start;
  const length = end - first;
  if (length > (whole ? smallDigits : exactDigits)) return false;
  // A zero with a sign is another number, and one of many zeros has an exponent.
  if (load<u8>(first) === 0x30 && (length === 1 ? first !== start : load<u8>(first + 2) === 0x30)) {
    return false;
  }
  let hasPoint = false;
  let last: u8 = 0;
  for (let at = first; at < end; at += 1) {
    last = load<u8>(at);
    if (last === 0x2e && !whole) hasPoint = true;
    else if (last < 0x30 || last > 0x39) return false;
  }
  return !hasPoint || last !== 0x30;
}

function isAsItIs(kind: i32, start: usize, end: usize): bool {
  const byte = load<u8>(start);
  if (byte === quote) return kind === string && isStringAsItIs(start, end);
  if (kind === boolean) return byte === 0x74 || byte === 0x66;
  if (kind !== int && kind !== float) return false;
  return (
    (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) && isNumberAsItIs(start, end, kind === int)
  );
}

/** The items of a list of leaves, or of such lists. */
function writeItems(shape: usize, start: usize, to: usize): usize {
  let out = put(openBracket, to);
  if (out === 0) return 0;
  let at = skipSpace(start + 1);
  if (load<u8>(at) === closeBracket) return put(closeBracket, out);
  while (true) {
    const end = skipValue(at);
    out = writeValue(shape, at, end, out);
    if (out === 0) return 0;
    at = skipSpace(end);
    const byte = load<u8>(at);
    out = put(byte, out);
    if (byte === closeBracket || out === 0) return out;
    at = skipSpace(at + 1);
  }
}

/** A value of which the place is known, and no more. */
function writeValue(shape: usize, start: usize, end: usize, to: usize): usize {
  const byte = load<u8>(start);
  if (byte === letterN) return writeNull(shape, to);
  const kind = shapeKind(shape);
  if (kind === isList) return byte === openBracket ? writeItems(shapeWithin(shape), start, to) : 0;
  if (kind !== isLeaf) return 0;
  return isAsItIs(leafKind(shape), start, end)
    ? copy(start, end - start, to)
    : writeLeaf(leafNumber(shape), start, end, to);
}

/** The items of a list that were read themselves. */
function writeReadItems(shape: usize, first: usize, to: usize): usize {
  let out = put(openBracket, to);
  for (let item = first; item !== 0 && out !== 0; item = nextItem(item)) {
    if (item !== first) out = put(comma, out);
    if (out !== 0) out = writeCell(shape, item + 4, out);
  }
  return out === 0 ? 0 : put(closeBracket, out);
}

/** The first member that is an object tells what it is. */
function writeVariant(plan: usize, object: usize, to: usize): usize {
  for (let slot = 0; slot < slotCount(plan); slot += 1) {
    const cell = object + cellSize * <usize>slot;
    if (cellEnd(cell) === isRead)
      return writeObject(shapeWithin(slotShape(plan, slot)), cellStart(cell), to);
  }
  return 0;
}

function writeCell(shape: usize, cell: usize, to: usize): usize {
  const end = cellEnd(cell);
  if (end === 0) return writeNull(shape, to);
  if (end !== isRead) return writeValue(shape, cellStart(cell), end, to);
  const kind = shapeKind(shape);
  const within = shapeWithin(shape);
  if (kind === isList) return writeReadItems(within, cellStart(cell), to);
  return kind === isObject
    ? writeObject(within, cellStart(cell), to)
    : writeVariant(within, cellStart(cell), to);
}

function writeField(field: usize, object: usize, to: usize): usize {
  const kind = fieldKind(field);
  const number = fieldNumber(field);
  if (kind === isMember)
    return writeCell(fieldWithin(field), object + cellSize * <usize>number, to);
  if (kind === isConstant) return copy(fieldWithin(field), number, to);
  if (kind === isMade) return writeMade(number, object, to);
  gapAt(to);
  return to;
}

function writeObject(plan: usize, object: usize, to: usize): usize {
  let out = to;
  let field = fieldsOf(plan);
  const count = fieldCount(plan);
  if (count === 0) out = put(openBrace, out);
  for (let index = 0; index < count && out !== 0; index += 1) {
    out = copy(nameText(field), nameLength(field), out);
    if (out !== 0) out = writeField(field, object, out);
    field += fieldSize;
  }
  if (out === 0) return 0;
  // In place of the first comma.
  store<u8>(to, openBrace);
  return put(closeBrace, out);
}

/** Reads the row that starts there; gives where it ends, and writes nothing. */
export function read(plan: usize, start: usize): usize {
  return load<u8>(start) === openBrace ? readRow(plan, start) : 0;
}

/** Writes the row that was read last. */
export function write(plan: usize, to: usize): usize {
  return writeObject(plan, tapeStart, to);
}
