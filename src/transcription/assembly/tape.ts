import { nameAt } from './host';
import { cellSize, tapeEnd, tapeStart } from './memory';
import {
  firstName,
  isList,
  keyLength,
  keySlot,
  keyText,
  nextName,
  setFirstName,
  setNextName,
  shapeKind,
  shapeWithin,
  slotCount,
  slotShape,
} from './plan';
import {
  closeBrace,
  closeBracket,
  comma,
  letterN,
  openBrace,
  openBracket,
  quote,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
} from './scan';

/**
 * The tape tells where the members of an object stand, and those of the objects within. A cell of
 * two numbers is a value: its start and end, or where the tape has what was read of it. Zeros for a
 * member that is not there.
 */

/** In place of an end, where an object or a list was read itself. */
export const isRead: u32 = 0xffffffff;

let end: usize = tapeStart;

export function cellStart(cell: usize): usize {
  return load<u32>(cell);
}

export function cellEnd(cell: usize): u32 {
  return load<u32>(cell, 4);
}

/**
 * The item behind one of a list that was read; 0 behind the last. An item's own cell follows this.
 */
export function nextItem(item: usize): usize {
  return load<u32>(item);
}

/** Zeros; 0 where there is no room. */
function reserve(size: usize): usize {
  const start = end;
  if (start + size > tapeEnd) return 0;
  end = start + size;
  memory.fill(start, 0, size);
  return start;
}

/**
 * Whether that name stands there, with no space before its colon. Names have four bytes at least.
 */
function isNameAt(name: usize, at: usize): bool {
  const text = keyText(name);
  const length = keyLength(name);
  let index: usize = 0;
  for (; index + 8 <= length; index += 8) {
    if (load<u64>(text + index) !== load<u64>(at + index)) return false;
  }
  if (index < length) {
    if (length < 8) {
      return (
        load<u32>(text) === load<u32>(at) &&
        load<u32>(text + length - 4) === load<u32>(at + length - 4)
      );
    }
    return load<u64>(text + length - 8) === load<u64>(at + length - 8);
  }
  return true;
}

function readObject(plan: usize, start: usize): usize {
  const object = reserve(cellSize * <usize>slotCount(plan));
  if (object === 0) return 0;
  let at = skipSpace(start + 1);
  if (load<u8>(at) === closeBrace) return at + 1;
  let previous: usize = 0;
  let expected = firstName(plan);
  while (true) {
    let slot = -1;
    if (load<u8>(at) !== quote) return 0;
    if (expected !== 0 && isNameAt(expected, at)) {
      slot = keySlot(expected);
      previous = expected;
      at = skipSpace(at + keyLength(expected));
    } else {
      const nameEnd = skipString(at);
      if (nameEnd === 0) return 0;
      const name = nameAt(plan, at, nameEnd);
      if (name !== 0) {
        slot = keySlot(name);
        if (previous === 0) setFirstName(plan, name);
        else setNextName(previous, name);
        previous = name;
      }
      at = skipColon(nameEnd);
      if (at === 0) return 0;
    }
    if (slot < 0) at = skipValue(at);
    else {
      const cell = object + cellSize * <usize>slot;
      // Of equal members the last one counts, which is too rare to be read anew.
      if (cellEnd(cell) !== 0) return 0;
      at = readValue(slotShape(plan, slot), at, cell);
    }
    if (at === 0) return 0;
    at = skipSpace(at);
    const byte = load<u8>(at);
    if (byte === closeBrace) return at + 1;
    if (byte !== comma) return 0;
    at = skipSpace(at + 1);
    expected = previous === 0 ? 0 : nextName(previous);
  }
}

function setCell(cell: usize, start: usize, valueEnd: u32): void {
  store<u32>(cell, <u32>start);
  store<u32>(cell, valueEnd, 4);
}

/** The items' places are a chain, from the list's cell on. */
function readList(shape: usize, start: usize, cell: usize): usize {
  setCell(cell, 0, isRead);
  let at = skipSpace(start + 1);
  if (load<u8>(at) === closeBracket) return at + 1;
  let link = cell;
  while (true) {
    const item = reserve(4 + cellSize);
    if (item === 0) return 0;
    store<u32>(link, <u32>item);
    link = item;
    at = readValue(shape, at, item + 4);
    if (at === 0) return 0;
    at = skipSpace(at);
    const byte = load<u8>(at);
    if (byte === closeBracket) return at + 1;
    if (byte !== comma) return 0;
    at = skipSpace(at + 1);
  }
}

function readValue(shape: usize, start: usize, cell: usize): usize {
  const byte = load<u8>(start);
  if (shape !== 0) {
    if (shapeKind(shape) === isList) {
      if (byte === openBracket) return readList(shapeWithin(shape), start, cell);
    } else if (byte === openBrace) {
      setCell(cell, end, isRead);
      return readObject(shapeWithin(shape), start);
    }
    // Null alone may take an object's place; what is wrong with any other value, the executor says.
    if (byte !== letterN) return 0;
  }
  const valueEnd = skipValue(start);
  setCell(cell, start, <u32>valueEnd);
  return valueEnd;
}

/**
 * Reads an object from its brace. Gives the place behind it, or 0 for what the plan does not
 * expect.
 */
export function readRow(plan: usize, start: usize): usize {
  end = tapeStart;
  return readObject(plan, start);
}
