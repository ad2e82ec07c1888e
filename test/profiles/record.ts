/** Members of a record, with any values. */
export type Members = Readonly<Record<string, unknown>>;

const token = /(\w+)(?:([#?])|=("[^"]*"|\[[^\]]*\]|[^\s|}\]]+)|([{[]))?|[|}\]]/g;

const parsed = (text: string): unknown =>
  /^(?:["[]|-?\d+(?:\.\d+)?$|(?:true|false|null)$)/.test(text) ? JSON.parse(text) : text;

/**
 * A record of a text with its members: `name=value` has this value (a word, or JSON), `name{…}` an
 * object and `name[… | …]` a list of objects. Without a value, `name` has a text of its own (or a time, if it ends with At),
 * `name#` a number and `name?` a flag.
 */
export const recordOf = (text: string): Members => {
  const tokens = [...text.matchAll(token)];
  let at = 0;
  const ownValue = (name: string, mark: string | undefined): unknown => {
    if (mark === '#') return at + 1;
    if (mark === '?') return at % 2 === 0;
    return /At$/.test(name) ? `2026-11-04T10:00:${10 + (at % 50)}Z` : `${name}-1`;
  };
  /** The members up to the end of their object, and what ends it. */
  const members = (): readonly [record: Members, end: string | undefined] => {
    const record: Record<string, unknown> = {};
    for (let next = tokens[at]; next; next = tokens[at]) {
      const [end, name, mark, value, open] = next;
      at += 1;
      if (name === undefined) return [record, end];
      if (open === '{') [record[name]] = members();
      else if (open === '[') record[name] = list();
      else record[name] = value === undefined ? ownValue(name, mark) : parsed(value);
    }
    return [record, undefined];
  };
  const list = (): readonly Members[] => {
    const [record, end] = members();
    return end === '|' ? [record, ...list()] : [record];
  };
  return members()[0];
};

/** The records of a text, one after each `|`. */
export const recordsOf = (text: string): readonly Members[] =>
  recordOf(`all[${text}]`).all as readonly Members[];
