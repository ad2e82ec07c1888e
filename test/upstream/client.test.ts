import { expect, it } from 'vitest';
import type { Answer, Call } from '../../src/upstream/call.ts';
import { createClientFactory } from '../../src/upstream/client.ts';
import type { Failure } from '../../src/upstream/error.ts';
import { management } from '../../src/upstream/interface.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { createReader } from '../../src/upstream/reader.ts';
import { answerOf, createTestCaller } from '../support/upstream/calls.ts';

const start = (answered: object, secrets: readonly string[] = []) => {
  const paths: string[] = [];
  const failures: Failure[] = [];
  const onFailure = (failure: Failure): void => void failures.push(failure);
  const answer = answerOf(JSON.stringify({ status: 200, ...answered }));
  const { bind } = createClientFactory(managementOperations('command'), {
    ...{ api: management, extendedReads: true, onFailure },
    send: async ({ path }: Call): Promise<Answer> => {
      paths.push(path);
      return answer;
    },
    known: { kept: () => undefined, isScarce: () => false },
    reader: createReader({ onUnusableRows: () => undefined, onFailure }),
  });
  /** Of another request each time. */
  const client = () => bind(createTestCaller({ secrets }));
  return { client, paths, failures };
};

const failsWith = (reason: string) => ({ failure: { reason } });

it('reads an answer once, however many requests share it', async () => {
  const { client } = start({ result: [{ id: 'a' }] });
  const organizations = await client().listOrganizations();
  expect(organizations).toEqual([{ id: 'a' }]);
  expect(await client().listOrganizations()).toBe(organizations);
});

it.each([
  ['of its own', 'r-1', 'r-1'],
  ['that is a secret of the request', 'cnry-key-secret', undefined],
])(
  'tells once of an answer that cannot be used, with an id %s: %s as %s',
  async (_, requestId, told) => {
    const { client, failures } = start({ requestId }, [`Basic ${btoa('key-id:cnry-key-secret')}`]);
    const reading = [client(), client()].map((each) => each.listOrganizations());
    for (const each of reading) {
      await expect(each).rejects.toMatchObject(failsWith('bad-response'));
    }
    expect(failures.map((failure) => failure.requestId)).toEqual([told]);
  },
);
