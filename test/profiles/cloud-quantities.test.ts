import { expect, it } from 'vitest';
import { type AnswerError, result } from '../support/harness.ts';
import { ids } from '../support/profiles/cloud-records.ts';
import type { Members } from '../support/profiles/record.ts';
import { startProfile } from '../support/profiles/rows.ts';

/** Members of pipes' scaling as they are read, a pipe for each value; in the place of a value there may be the code of its error. */
const read = async (member: string, values: readonly unknown[], config = {}) => {
  const pipes = values.map((value, at) => ({
    id: `${at}`,
    scaling: { replicas: 1, [member]: value },
  }));
  const stack = await startProfile({ management: () => result(pipes) }, config);
  const { body } = await stack.query(
    `{ service(organizationId: "${ids.organizationId}", serviceId: "${ids.serviceId}") {
      pipes { scaling { replicas ${member} } } } }`,
  );
  const errors: readonly AnswerError[] = body.errors ?? [];
  const codes = new Map(errors.map(({ path, extensions }) => [path.join('.'), extensions.code]));
  const shown: readonly { readonly scaling: Members }[] = body.data.service.pipes;
  return shown.map(({ scaling }, at) => {
    expect(scaling.replicas).toBe(1);
    return codes.get(`service.pipes.${at}.scaling.${member}`) ?? scaling[member];
  });
};

const bad = 'UPSTREAM_BAD_RESPONSE';
const noQuantities = ['', ' ', '2 Gi', ...'2gi 2GB 2K -1 1e 1e9999 1e3m 0x10 1,5'.split(' ')];

it.each([
  [
    'replicaCpuMillicores',
    '125m=125 2=2000 0.07=70 .25=250 1.=1000 +1=1000 2k=2000000 1e3=1000000 1E-1=100 500000u=500 250000000n=250 1Ki=1024000 0=0',
    [[250, 250], ...['0.0001', '1n', '1e300', '4Gi'].map((text) => [text, bad])],
  ],
  [
    'replicaMemoryGb',
    `512Mi=0.5 8589934592=8 1.5Gi=1.5 1048576Ki=1 1Ti=1024 1Pi=1048576 4294967296000m=4 8G=${8e9 / 2 ** 30} 8e9=${8e9 / 2 ** 30} 1E=${1e18 / 2 ** 30}`,
    [
      [0.5, 0.5],
      [null, null],
      [undefined, null],
      ...['NaN', 'Infinity', ...noQuantities].map((text) => [text, bad]),
    ],
  ],
])('%s of a pipe is a number, or a text that is a quantity', async (member, quantities, others) => {
  const rows = quantities.split(' ').map((each): unknown[] => {
    const [text, value] = each.split('=');
    return [text, Number(value)];
  });
  const all = [...rows, ...others];
  const answers = await read(
    member,
    all.map(([value]) => value),
  );
  expect(all.map(([value], at) => [value, answers[at]])).toEqual(all);
});

it('texts are quantities where no profile is set, too', async () => {
  expect(await read('replicaCpuMillicores', ['125m'], { managementProfile: 'reference' })).toEqual([
    125,
  ]);
});
