import { describe, it } from 'vitest';
import { drip, hangUp, reset, resetWithinBody, silence } from '../support/faults/backend.ts';
import { writes } from '../support/faults/breaker.ts';
import { reads, status } from '../support/faults/stack.ts';
import { asks, type Provocation, provoke, tenReads } from '../support/faults/two-callers.ts';
import { sampleOf } from '../support/random/runs.ts';

const everything = asks(
  12,
  tenReads,
  reads.observability.document,
  writes.management,
  writes.observability,
);

const provocations: readonly Provocation[] = [
  {
    title: 'ten answers of 500 to two requests',
    react: () => status(500),
    attack: asks(2, tenReads),
  },
  ...[400, 401, 403, 404, 429, 500, 502, 503, 504].map((code) => ({
    title: `answers of ${code} to whatever it asks`,
    react: () => status(code),
    attack: everything,
    config: { maxRetries: 0 },
  })),
  ...Object.entries({ reset, hangUp, resetWithinBody }).map(([title, react]) => ({
    title: `connections that break at whatever it asks: ${title}`,
    react: () => react,
    attack: everything,
    config: { maxRetries: 0 },
  })),
  ...Object.entries({ silence, drip }).map(([title, react]) => ({
    title: `its own deadline, which is too short: ${title}`,
    react: () => react,
    attack: asks(3, tenReads, reads.observability.document, writes.management),
    config: { operationTimeoutMs: 300, writeTimeoutMs: 300 },
  })),
];

describe('failures of one caller’s calls do not keep another caller from its answer:', () => {
  it.each(sampleOf(provocations, 5))('$title', provoke);
});
