/** An organization of any size. */
export interface FleetSize {
  readonly services: number;
  /** Services that sleep: every call to their pipes is answered with 424. */
  readonly sleeping: number;
  /** Services whose list of pipes takes 20 s. */
  readonly slow: number;
}

export type ServiceKind = 'prompt' | 'sleeping' | 'slow';

/** This many of the numbers, evenly spread. */
const spread = (numbers: readonly number[], chosen: number): ReadonlySet<number> => {
  const passed = (at: number): number => Math.floor((at * chosen) / numbers.length);
  return new Set(numbers.filter((_, at) => passed(at + 1) > passed(at)));
};

/** The kind of each service, by its number. */
export const kindsOf = ({ services, sleeping, slow }: FleetSize): readonly ServiceKind[] => {
  const all = Array.from({ length: services }, (_, service) => service);
  const asleep = spread(all, sleeping);
  const late = spread(
    all.filter((service) => !asleep.has(service)),
    slow,
  );
  return all.map((service) =>
    asleep.has(service) ? 'sleeping' : late.has(service) ? 'slow' : 'prompt',
  );
};

/** Parses a size from a process's environment, such as `120,10,3`; no services without a text. */
export const readFleetSize = (text = ''): FleetSize => {
  const [services = 0, sleeping = 0, slow = 0] = text.split(',').map(Number);
  return { services, sleeping, slow };
};

export const writeFleetSize = ({ services, sleeping, slow }: FleetSize): string =>
  [services, sleeping, slow].join(',');
