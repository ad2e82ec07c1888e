import { expect, it } from 'vitest';
import { type AnswerError, result } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { startProfile } from './rows.ts';

/** Texts, with `_` for a blank, and the number that each is shown as; without one, it is an error. */
it.each([
  [
    ...(['replicaCpuMillicores', 'clickhouse-cloud'] as const),
    `125m=125 2=2000 0.07=70 .25=250 1.=1000 +1=1000 2k=2000000 1e3=1000000 1E-1=100 500000u=500
      250000000n=250 1Ki=1024000 0=0 0.0001 1n 1e300 4Gi`,
  ],
  ['replicaCpuMillicores', 'reference', '125m=125'],
  [
    ...(['replicaMemoryGb', 'clickhouse-cloud'] as const),
    `512Mi=0.5 8589934592=8 1.5Gi=1.5 1048576Ki=1 1Ti=1024 1Pi=1048576 4294967296000m=4
      8G=${8e9 / 2 ** 30} 8e9=${8e9 / 2 ** 30} 1E=${1e18 / 2 ** 30} NaN Infinity _ 2_Gi 2gi 2GB 2K
      -1 1e 1e9999 1e3m 0x10 1,5`,
  ],
] as const)(
  '%s of a pipe may be a text that is a quantity: profile %s',
  async (member, managementProfile, texts) => {
    const rows = texts.split(/\s+/).map((row) => row.replaceAll('_', ' ').split('='));
    const pipes = rows.map(([text], at) => ({ id: `${at}`, scaling: { [member]: text } }));
    const stack = await startProfile({ management: () => result(pipes) }, { managementProfile });
    const { body } = await stack.query(
      withIds(`{ service(@service-1) { pipes { scaling { ${member} } } } }`),
    );
    const errors: readonly AnswerError[] = body.errors ?? [];
    const codes = new Map(errors.map(({ path, extensions }) => [path[2], extensions.code]));
    const shown = rows.map(([text], at) => {
      return [text, codes.get(at) ?? body.data.service.pipes[at].scaling[member]];
    });
    expect(shown).toEqual(
      rows.map(([text, number]) => [text, number ? Number(number) : 'UPSTREAM_BAD_RESPONSE']),
    );
  },
);
