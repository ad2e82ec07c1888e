import fc from 'fast-check';
import { topics } from './operations.ts';

const who = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 2, 2, 3);
/** How long after a command the next one comes, in milliseconds. */
export const wait = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, 0, 20, 100, 400) },
  { weight: 10, arbitrary: fc.constantFrom(800, 1500, 3100) },
  { weight: 1, arbitrary: fc.constantFrom(6000, 12_000, 31_000) },
);
const operation = fc.nat(999);

const readMembers = {
  read: operation,
  who,
  // no-cache, and two of `max-age`
  maxAge: fc.constantFrom(...Array<undefined>(12).fill(undefined), 0, 2, 20),
  pause: fc.constantFrom(0, 0, 0, 200, 600),
  wait,
};
const writeMembers = {
  write: operation,
  who,
  before: fc.option(operation),
  after: fc.option(operation),
  wait,
};

const leaving = fc.record({ leave: fc.nat(), wait });

/** What comes to one gateway. */
export const command = fc.oneof(
  { weight: 8, arbitrary: fc.record(readMembers) },
  { weight: 2, arbitrary: fc.record(writeMembers) },
  { weight: 1, arbitrary: leaving },
);

/** What comes to one of several. */
export const commandAt = (gateways: number) => {
  // One of them gets most, so that it also has reads of its own under way.
  const at = fc.oneof(fc.constant(0), fc.nat(gateways - 1));
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ ...readMembers, at }) },
    { weight: 3, arbitrary: fc.record({ ...writeMembers, at }) },
    { weight: 1, arbitrary: leaving },
  );
};

const rates = fc.constantFrom(
  undefined,
  { calls: 1, windowMs: 2000 },
  { calls: 2, windowMs: 5000 },
  { calls: 3, windowMs: 2000 },
  { calls: 5, windowMs: 10_000 },
);

/** How the gateways are set, and what the upstreams do. */
export const settings = fc.record({
  topic: fc.nat(topics.length - 1),
  rate: rates,
  draws: fc.nat(),
  faulty: fc.constantFrom(0, 0, 5, 25),
});
