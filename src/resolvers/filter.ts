/** Whether a name holds a text, letter case aside; no name holds nothing. */
export const nameContains = (name: unknown, text: string | null | undefined): boolean =>
  text === null ||
  text === undefined ||
  (typeof name === 'string' && name.toLowerCase().includes(text.toLowerCase()));

/** Whether a member has the wanted value; nothing wanted is met by everything. */
export const matches = <Value>(value: Value, wanted: Value | null | undefined): boolean =>
  wanted === null || wanted === undefined || value === wanted;
