import { expect, it, onTestFinished } from 'vitest';
import { cloudAnswer } from '../../one-tree/cloud.ts';
import { mutate, oneTree } from '../../profiles/rows.ts';
import { paced, type Stack, startStack } from '../../support/harness.ts';
import { createExactUpstream, mostWithin } from '../../support/pacing/exact-upstream.ts';
import { startTwoOverRedis } from '../../support/redis/stacks.ts';
import { redisPath } from '../../support/redis.ts';
import { withIds } from '../../support/world/ids.ts';

const key = 'Basic a2V5LWlkOmtleS1zZWNyZXQ=';
const credentials = { 'management-authorization': key, 'observability-authorization': '' };
const rate = { calls: 10, windowMs: 1000 };

const config = {
  ...{ ...paced, ...oneTree, managementRate: rate },
  // However slow the machine is.
  ...{ operationTimeoutMs: 600_000, pacingWaitMs: 600_000 },
};

/** All of an organization: 10 calls, none of which another organization shares. */
const pageOf = (organization: number) =>
  withIds(`{ organization(organizationId: "organization-${organization}") {
    services { name pipes { name } dashboards { name } alerts { name } } } }`);

const alone = async (upstream: ReturnType<typeof createExactUpstream>) => {
  const stack = await startStack({ management: upstream.answering, config, credentials });
  onTestFinished(stack.close);
  return [stack];
};
const replicas = async (upstream: ReturnType<typeof createExactUpstream>) => {
  const management = upstream.answering;
  const redisTimeoutMs = 20_000;
  const options = { management, config: { ...config, redisTimeoutMs }, credentials };
  const { one, other } = await startTwoOverRedis(options);
  return [one, other];
};

const ways: readonly (readonly [string, typeof alone])[] = [
  ['one process', alone],
  ...(redisPath === undefined ? [] : [['two replicas over Redis', replicas] as const]),
];

it.each(ways)(
  'one key and its exact limit: three cold pages of both trees beside a write are whole in %s',
  async (_, start) => {
    const upstream = createExactUpstream(rate, 30, cloudAnswer);
    const stacks: readonly Stack[] = await start(upstream);
    const stackOf = (index: number): Stack => {
      const stack = stacks[index % stacks.length];
      if (!stack) throw new Error('no gateway was started');
      return stack;
    };
    const reading = [1, 2, 3].map((each) => stackOf(each).query(pageOf(each)));
    const { organizationId, serviceId } = JSON.parse(
      withIds('{"organizationId": "organization-1", "serviceId": "service-2"}'),
    );
    const input = { alertId: 'a', service: { organizationId, serviceId }, threshold: 9 };
    const { data } = await mutate(stackOf(0), 'updateAlert', input, 'alert { threshold }');
    expect(data.updateAlert).toEqual({ alert: { threshold: 9 }, userErrors: [] });

    for (const { body } of await Promise.all(reading)) {
      // The third service has no ClickStack.
      expect(body.errors).toHaveLength(2);
      expect(body.data.organization.services).toMatchObject([
        ...['service-1', 'service-2'].map((name) => ({
          ...{ name, pipes: [{ name: 'Pipe' }] },
          dashboards: [{ name: `Board of ${name}` }],
          alerts: [{ name: `Alert of ${name}` }],
        })),
        { name: 'service-3', dashboards: null, alerts: null },
      ]);
    }
    expect(upstream.refused).toEqual([]);
    const calls = stacks.flatMap((stack) => stack.calls);
    expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set([key]));
    const times = upstream.counted.get(key) ?? [];
    expect(mostWithin(rate.windowMs, times)).toBeLessThanOrEqual(rate.calls);
    // Three pages, and the read and the write of the alert.
    expect(times).toHaveLength(3 * 10 + 2);
  },
);
