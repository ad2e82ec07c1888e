/** A read of a request that may be started before the field that needs it is resolved. */
export interface Startable<Ids, Value> {
  /** Reads, or gives what was started. */
  (ids: Ids): Promise<Value>;
  /** Starts the read, so that the field that needs it does not wait as long. The field reports its failure. */
  start(ids: Ids): void;
  /** Lets go of what was started and never asked for: a write may have changed it. */
  forget(): void;
}

/**
 * The client remembers reads, so a second call would do. It would count as a second field that the read
 * answers, though, and `Sluice-Explain` would call the read shared.
 *
 * @param keyOf gives equal strings for equal identifiers
 */
export const startable = <Ids, Value>(
  keyOf: (ids: Ids) => string,
  read: (ids: Ids) => Promise<Value>,
): Startable<Ids, Value> => {
  const started = new Map<string, Promise<Value>>();

  const take = (ids: Ids): Promise<Value> => {
    const key = keyOf(ids);
    const underWay = started.get(key);
    started.delete(key);
    return underWay ?? read(ids);
  };

  const start = (ids: Ids): void => {
    const key = keyOf(ids);
    if (started.has(key)) return;
    const reading = read(ids);
    // Where the parent fails there is no field to report this failure, and the parent's error stands.
    reading.catch(() => undefined);
    started.set(key, reading);
  };

  return Object.assign(take, { start, forget: () => started.clear() });
};
