/**
 * Plans, as `encode.ts` of the folder above puts them into memory: numbers of four bytes. Places
 * are those of the memory; 0 stands for what is not there.
 */

/**
 * Objects of one selection: how many members are read, how many fields are written, and what each
 * is.
 */
export function slotCount(plan: usize): i32 {
  return load<i32>(plan);
}

export function fieldCount(plan: usize): i32 {
  return load<i32>(plan, 4);
}

/** The name that came first the last time; what it lies in is changed as objects are read. */
export function firstName(plan: usize): usize {
  return load<u32>(plan, 8);
}

export function setFirstName(plan: usize, name: usize): void {
  store<u32>(plan, <u32>name, 8);
}

/** The first field; others follow. */
export function fieldsOf(plan: usize): usize {
  return load<u32>(plan, 12);
}

/** What becomes of a member, where more of it is read than its place. */
export function slotShape(plan: usize, slot: i32): usize {
  return load<u32>(plan + 4 * <usize>slot, 16);
}

export const isLeaf: i32 = 0;
export const isObject: i32 = 1;
/** Variants are 2: they are written as what is left. */
export const isList: i32 = 3;

/** What becomes of a value. */
export function shapeKind(shape: usize): i32 {
  return load<i32>(shape);
}

export function isNullable(shape: usize): bool {
  return load<i32>(shape, 4) !== 0;
}

/**
 * The plan of an object; of variants, one of an object that has a member for each; of a list, its
 * items' shape.
 */
export function shapeWithin(shape: usize): usize {
  return load<u32>(shape, 8);
}

export const string: i32 = 1;
export const boolean: i32 = 2;
export const int: i32 = 3;
export const float: i32 = 4;

/** The kind of JSON that a leaf leaves as it is. */
export function leafKind(shape: usize): i32 {
  return load<i32>(shape, 8);
}

/** By which a leaf is known outside. */
export function leafNumber(shape: usize): i32 {
  return load<i32>(shape, 12);
}

export const fieldSize: usize = 24;

/** A field's name with the comma before it and the colon behind. */
export function nameText(field: usize): usize {
  return load<u32>(field);
}

export function nameLength(field: usize): usize {
  return load<u32>(field, 4);
}

export const isConstant: i32 = 0;
export const isMember: i32 = 1;
export const isMade: i32 = 2;
export const isGap: i32 = 3;

export function fieldKind(field: usize): i32 {
  return load<i32>(field, 8);
}

/** The text of a constant, or the shape of a member. */
export function fieldWithin(field: usize): usize {
  return load<u32>(field, 12);
}

/** The length of a constant's text, the slot of a member, or the number of what is made outside. */
export function fieldNumber(field: usize): i32 {
  return load<i32>(field, 16);
}

/** A member's name as it stands in JSON, with the colon behind it. */
export function keyLength(name: usize): usize {
  return load<u32>(name);
}

/** -1 for a member that nobody reads. */
export function keySlot(name: usize): i32 {
  return load<i32>(name, 4);
}

/** The name that followed the last time. */
export function nextName(name: usize): usize {
  return load<u32>(name, 8);
}

export function setNextName(name: usize, next: usize): void {
  store<u32>(name, <u32>next, 8);
}

export function keyText(name: usize): usize {
  return name + 12;
}
