import { afterEach, describe, expect, it } from 'vitest';
import { noSuchThing } from '../support/answering.ts';
import { result, type Stack, startStack } from '../support/harness.ts';
import { organizationId, pipeId, serviceId } from '../support/profiles/cloud-records.ts';

let stack: Stack;
afterEach(() => stack.close());

/** One member of a pipe's scaling as it is read, and the codes of the errors. */
const read = async (
  member: 'replicaCpuMillicores' | 'replicaMemoryGb',
  value: unknown,
  managementProfile: 'reference' | 'clickhouse-cloud' = 'clickhouse-cloud',
) => {
  stack = await startStack({
    management: () => result({ id: pipeId, name: 'n', scaling: { replicas: 1, [member]: value } }),
    observability: () => noSuchThing,
    config: { managementProfile },
  });
  const { body } = await stack.query(
    `{ pipe(organizationId: "${organizationId}", serviceId: "${serviceId}", pipeId: "${pipeId}") {
      name scaling { replicas ${member} } } }`,
  );
  const { name, scaling } = body.data.pipe;
  expect([name, scaling.replicas]).toEqual(['n', 1]);
  const errors: readonly { readonly path: readonly string[]; readonly extensions: object }[] =
    body.errors ?? [];
  return [scaling[member], errors.map(({ path, extensions }) => [path.at(-1), extensions])];
};

describe('CPU of a pipe', () => {
  it.each([
    [250, 250],
    [2, 2],
    ['125m', 125],
    ['2', 2000],
    ['0.5', 500],
    ['.25', 250],
    ['1.', 1000],
    ['0.07', 70],
    ['+1', 1000],
    ['2k', 2_000_000],
    ['1e3', 1_000_000],
    ['1E-1', 100],
    ['500000u', 500],
    ['250000000n', 250],
    ['1Ki', 1_024_000],
    ['0', 0],
  ])('%j is %i thousandths of a core', async (value, millicores) => {
    expect(await read('replicaCpuMillicores', value)).toEqual([millicores, []]);
  });
});

describe('memory of a pipe', () => {
  it.each([
    [0.5, 0.5],
    [8, 8],
    ['512Mi', 0.5],
    ['8589934592', 8],
    ['2Gi', 2],
    ['1.5Gi', 1.5],
    ['1048576Ki', 1],
    ['1Ti', 1024],
    ['1Pi', 1_048_576],
    ['8G', 8e9 / 2 ** 30],
    ['8000M', 8e9 / 2 ** 30],
    ['4294967296000m', 4],
    ['8e9', 8e9 / 2 ** 30],
    ['1E', 1e18 / 2 ** 30],
  ])('%j is %d GB', async (value, gigabytes) => {
    expect(await read('replicaMemoryGb', value)).toEqual([gigabytes, []]);
  });
});

const bad = (member: string) => [
  [
    member,
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE', requestId: expect.anything() }),
  ],
];

it.each([
  '',
  ' ',
  'much',
  '2 Gi',
  '2gi',
  '2GB',
  '2K',
  '-1',
  '1e',
  '1e9999',
  '1e3m',
  '0x10',
  '1,5',
  'NaN',
  'Infinity',
])('%j is no quantity', async (value) => {
  expect(await read('replicaMemoryGb', value)).toEqual([null, bad('replicaMemoryGb')]);
});

it.each(['0.0001', '1n', '1e300', '4Gi'])('%j is no whole number of millicores', async (value) => {
  expect(await read('replicaCpuMillicores', value)).toEqual([null, bad('replicaCpuMillicores')]);
});

it.each([null, undefined])('%j is nothing', async (value) => {
  expect(await read('replicaMemoryGb', value)).toEqual([null, []]);
});

it('texts are quantities where no profile is set, too', async () => {
  expect(await read('replicaCpuMillicores', '125m', 'reference')).toEqual([125, []]);
});
