import { expect, it } from 'vitest';
import { type AnswerError, result } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { type Members, startProfile } from './rows.ts';

const bad = 'UPSTREAM_BAD_RESPONSE';
const gib = 2 ** 30;

const milli = {
  ...{ '125m': 125, '2': 2000, '.25': 250, '+1': 1000, '0': 0, '1e3': 1e6, '500000u': 500 },
  ...{ '1Ki': 1_024_000, '0.0001': bad, '1e300': bad, '4Gi': bad },
};
const memory = {
  ...{ '512Mi': 0.5, '8589934592': 8, '1.5Gi': 1.5, '1Ti': 1024, '4294967296000m': 4 },
  ...{ '8G': 8e9 / gib, '8e9': 8e9 / gib, '1E': 1e18 / gib, NaN: bad, ' ': bad, '2 Gi': bad },
  ...{ '2gi': bad, '2GB': bad, '-1': bad, '1e': bad, '1e9999': bad, '1e3m': bad, '0x10': bad },
};

/** Texts that are quantities, as Kubernetes writes them, and what each is shown as. */
it.each<[member: string, profile: 'clickhouse-cloud' | 'reference', texts: object]>([
  ['replicaCpuMillicores', 'clickhouse-cloud', milli],
  ['replicaCpuMillicores', 'reference', { '125m': 125 }],
  ['replicaMemoryGb', 'clickhouse-cloud', memory],
])('%s of a pipe may be a text that is a quantity: profile %s', async (member, profile, texts) => {
  const pipes = Object.keys(texts).map((text) => ({ id: text, scaling: { [member]: text } }));
  const config = { managementProfile: profile };
  const stack = await startProfile({ management: () => result(pipes) }, config);
  const { body } = await stack.query(
    withIds(`{ service(@service-1) { pipes { id scaling { ${member} } } } }`),
  );
  const errors: readonly AnswerError[] = body.errors ?? [];
  const codes = new Map(errors.map(({ path, extensions }) => [path[2], extensions.code]));
  const shown = body.data.service.pipes.map(
    ({ id, scaling }: { id: string; scaling: Members }, at: number) => [
      ...[id, codes.get(at) ?? scaling[member]],
    ],
  );
  expect(Object.fromEntries(shown)).toEqual(texts);
});

it('quantities that pipes share may be texts, too', async () => {
  const replicaMemoryGb = String(8 * gib);
  const stack = await startProfile({
    management: () => result({ replicaCpuMillicores: '2', replicaMemoryGb }),
  });
  const { body } = await stack.query(
    withIds('{ service(@service-1) { cdcScaling { replicaCpuMillicores replicaMemoryGb } } }'),
  );
  const cdcScaling = { replicaCpuMillicores: 2000, replicaMemoryGb: 8 };
  expect(body).toEqual({ data: { service: { cdcScaling } } });
});
