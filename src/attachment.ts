/**
 * What is kept with an object, for as long as that lives. A WeakMap would say the same, but V8 takes what its
 * entries hold for alive until a full collection: objects of one request would all grow old.
 */
export interface Attachment<Value> {
  of(object: object): Value | undefined;
  /** The object must not be frozen. It is not seen in the object's copies, nor by JSON. */
  attach(object: object, value: Value): void;
}

/** @param description of what is attached, for whoever looks at an object in a debugger */
export const createAttachment = <Value>(description: string): Attachment<Value> => {
  const key = Symbol(description);
  return {
    of: (object) => (object as { readonly [key]?: Value })[key],
    attach: (object, value) => {
      Object.defineProperty(object, key, { value, enumerable: false });
    },
  };
};
