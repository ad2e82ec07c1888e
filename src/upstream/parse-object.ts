import { isObject } from '../is-object.ts';

/** The object that a text is in JSON; undefined for any other text. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON after all: for the caller the same as JSON of any other value.
    return undefined;
  }
};
