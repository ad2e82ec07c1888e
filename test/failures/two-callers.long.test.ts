import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { drip, hangUp, reset, resetWithinBody, silence } from '../support/faults/backend.ts';
import { otherCredentials, writes } from '../support/faults/breaker.ts';
import { leavable } from '../support/faults/gate.ts';
import {
  type FaultGateway,
  organizationId,
  type React,
  reads,
  startFaultGateway,
  status,
  upstreams,
  well,
} from '../support/faults/stack.ts';
import { type AnswerError, credentials } from '../support/harness.ts';
import { sampleOf } from '../support/random/runs.ts';

/**
 * What one caller does to an upstream that another is to notice nothing of: how the upstreams react to what the first caller
 * asks, while the other's calls are answered, and what resolves when the other caller is to ask.
 */
type Provocation = [
  title: string,
  react: React,
  attack: (gateway: FaultGateway) => Promise<void>,
  config?: Partial<Config>,
];

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Ten calls to management, which no other request makes. */
const tenReads = (request: number): string =>
  numbers(10)
    .map((index) => String(request * 10 + index).padStart(12, '0'))
    .map(
      (each) =>
        `m${each}: service(organizationId: "${organizationId}", serviceId: "5e4c0000-0000-4000-8000-${each}") { backupConfiguration { backupStartTime } }`,
    )
    .join(' ');
/** The same, and three requests of one call each to observability: several of one request would be read as one list. */
const readsOf = (request: number): readonly string[] => [
  `{ ${tenReads(request)} }`,
  ...numbers(3).map((each) => `{ alert(id: "a${request}-${each}") { name } }`),
];
/** Two writes: to management, and to observability. */
const writesOf = (request: number): readonly string[] => [
  `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "${request}"}) { userErrors { code } } }`,
  `mutation { createDashboard(input: {name: "${request}"}) { userErrors { code } } }`,
];

const asks =
  (times: number, ...documents: readonly string[]): Provocation[2] =>
  async (gateway) => {
    for (const _ of numbers(times)) for (const document of documents) await gateway.query(document);
  };

/** Resolves when the caller has all the connections that it may have. */
const taken = async ({ query, management, observability }: FaultGateway): Promise<void> => {
  const least = () => Math.min(management.calls.length, observability.calls.length);
  await expect.poll(least).toBeGreaterThanOrEqual(16);
  // And whatever else was asked before has been read.
  for (const _ of [1, 2]) await query('{ __typename }');
};
/** Asks without waiting for answers. */
const floods =
  (count: number, of: (request: number) => readonly string[]): Provocation[2] =>
  async (gateway) => {
    // The gateway closes with most of these unanswered.
    for (const document of numbers(count).flatMap(of))
      void gateway.query(document).catch(() => undefined);
    await taken(gateway);
  };

const leavesAll: Provocation[2] = async (gateway) => {
  for (const round of numbers(5)) {
    const requests = numbers(12)
      .flatMap((request) => readsOf(round * 12 + request))
      .map((document) => leavable(gateway.url, document, credentials));
    await taken(gateway);
    await Promise.all(requests.map(({ leave }) => leave()));
  }
};
const waitsInVain: Provocation[2] = async ({ query }) => {
  const asked = numbers(12)
    .flatMap(readsOf)
    .map((document) => query(document));
  const codes = (await Promise.all(asked)).flatMap(({ errors }) =>
    errors.map(({ extensions }: AnswerError) => extensions.code),
  );
  expect(codes).toEqual(Array(12 * 13).fill('UPSTREAM_TIMEOUT'));
};
const silent: React = () => silence;
const short = { operationTimeoutMs: 1500 };
const ofFloods: readonly Provocation[] = [
  ['seven requests of ten calls, and others, that are not answered', silent, floods(7, readsOf)],
  ['a flood of 440 requests that are not answered', silent, floods(110, readsOf)],
  ['a flood of 220 writes that are not answered', silent, floods(110, writesOf)],
  ['requests that it does not wait for', silent, leavesAll],
  ['calls that wait for a connection until their time is up', silent, waitsInVain, short],
];

const both = `{ ${tenReads(0)} alerts { name } }`;
const everything = asks(
  12,
  both,
  reads.observability.document,
  writes.management,
  writes.observability,
);
const once = { maxRetries: 0 };
const late = { operationTimeoutMs: 300, writeTimeoutMs: 300 };
const little = asks(3, both, reads.observability.document, writes.management);
const ofFailures: readonly Provocation[] = [
  ['ten answers of 500 to two requests', () => status(500), asks(2, both)],
  ...[400, 401, 403, 404, 429, 500, 502, 503, 504].map(
    (code): Provocation => [`answers of ${code}`, () => status(code), everything, once],
  ),
  ...[reset, hangUp, resetWithinBody].map(
    (react): Provocation => ['connections that break', () => react, everything, once],
  ),
  ...[silence, drip].map(
    (react): Provocation => ['its own deadline, which is too short', () => react, little, late],
  ),
];

describe('one caller does not keep another caller from its answer by', () => {
  it.each<Provocation>([...ofFloods, ...sampleOf(ofFailures, 5)])(
    '%s',
    async (_, react, attack, config) => {
      let attacked = 0;
      const reactOf =
        (upstream: 'management' | 'observability'): React =>
        (call) => {
          if (call.authorization !== credentials[`${upstream}-authorization`])
            return well(upstream);
          attacked += 1;
          return react(call);
        };
      const gateway = await startFaultGateway(
        { management: reactOf('management'), observability: reactOf('observability') },
        config,
      );
      try {
        await attack(gateway);
        // Or there was no provocation at all.
        expect(attacked).toBeGreaterThan(10);
        for (const upstream of upstreams) {
          const { document, field } = reads[upstream];
          expect(await gateway.query(document, otherCredentials)).toEqual({
            data: { [field]: { name: 'well' } },
          });
          const write = await gateway.query(writes[upstream], otherCredentials);
          expect(write.errors).toBeUndefined();
          expect(Object.values(write.data)).toMatchObject([{ userErrors: [] }]);
          expect(await gateway.breaker(upstream)).toBe('closed');
        }
      } finally {
        await gateway.close();
      }
    },
  );
});
