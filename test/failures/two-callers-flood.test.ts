import { describe, expect, it } from 'vitest';
import { silence } from '../support/faults/backend.ts';
import { leavable } from '../support/faults/gate.ts';
import { type FaultGateway, organizationId } from '../support/faults/stack.ts';
import { type Provocation, provoke } from '../support/faults/two-callers.ts';
import { type AnswerError, credentials } from '../support/harness.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A request of ten calls to management, and three of one call each to observability, which no others make. */
const readsOf = (request: number): readonly string[] => {
  const digits = numbers(10).map((index) => String(request * 10 + index).padStart(12, '0'));
  const services = digits.map(
    (each) =>
      `m${each}: service(organizationId: "${organizationId}", serviceId: "5e4c0000-0000-4000-8000-${each}") { backupConfiguration { backupStartTime } }`,
  );
  // Several of one request would be read as one list.
  const alerts = digits.slice(0, 3).map((each) => `{ alert(id: "a${each}") { name } }`);
  return [`{ ${services.join(' ')} }`, ...alerts];
};

/** Two writes: to management, and to observability. */
const writes = (request: number): readonly [string, string] => [
  `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "${request}"}) { userErrors { code } } }`,
  `mutation { createDashboard(input: {name: "${request}"}) { userErrors { code } } }`,
];

/** Asks without waiting for answers, until the caller has all the connections that it may have. */
const floods =
  (...documents: readonly string[]): Provocation['attack'] =>
  async (gateway) => {
    // The gateway closes with most of these unanswered.
    for (const document of documents) void gateway.query(document).catch(() => undefined);
    await taken(gateway);
  };

const taken = async ({ query, management, observability }: FaultGateway): Promise<void> => {
  await expect
    .poll(() => Math.min(management.calls.length, observability.calls.length))
    .toBeGreaterThanOrEqual(16);
  // And whatever else was asked before has been read.
  for (const _ of [1, 2]) await query('{ __typename }');
};

/** Asks, and leaves as soon as the calls have arrived; several times. */
const aborts: Provocation['attack'] = async (gateway) => {
  for (const round of numbers(5)) {
    const requests = numbers(12)
      .flatMap((request) => readsOf(round * 12 + request))
      .map((document) => leavable(gateway.url, document, credentials));
    await taken(gateway);
    await Promise.all(requests.map(({ leave }) => leave()));
  }
};

const provocations: readonly Provocation[] = [
  {
    title: 'seven requests of ten calls, and others, that are not answered',
    react: () => silence,
    attack: floods(...numbers(7).flatMap(readsOf)),
  },
  {
    title: 'a flood of 440 requests that are not answered',
    react: () => silence,
    attack: floods(...numbers(110).flatMap(readsOf)),
  },
  {
    title: 'a flood of 220 writes that are not answered',
    react: () => silence,
    attack: floods(...numbers(110).flatMap(writes)),
  },
  {
    title: 'requests that it does not wait for',
    react: () => silence,
    attack: aborts,
  },
  {
    title: 'calls that wait for a connection until their time is up',
    react: () => silence,
    attack: async ({ query }) => {
      const asked = numbers(12)
        .flatMap(readsOf)
        .map((document) => query(document));
      const codes = (await Promise.all(asked)).flatMap(({ errors }) =>
        errors.map(({ extensions }: AnswerError) => extensions.code),
      );
      expect(codes).toEqual(Array(12 * 13).fill('UPSTREAM_TIMEOUT'));
    },
    config: { operationTimeoutMs: 1500 },
  },
];

describe('many requests of one caller do not keep another caller from its answer:', () => {
  it.each(provocations)('$title', provoke);
});
