import { describe, expect, it } from 'vitest';
import { createAlerts } from '../support/profiles/hyperdx-alerts.ts';
import { alertsOf, type Members } from '../support/profiles/hyperdx-records.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';

const [first = {}] = alertsOf.H;
const alerts: readonly Members[] = Array.from({ length: 1021 }, (_, at) => ({
  ...first,
  id: `65f5e4a3b9e77c${String(at).padStart(10, '0')}`,
}));
const last = alerts.at(-1)?.id;

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('one answers with the pages that the other has read, and forgets all of them after its write', async () => {
    const { answering } = createAlerts('H', alerts);
    const { one, other, calls } = await startTwoOverRedis({
      observability: answering,
      config: { observabilityProfile: 'hyperdx' },
    });
    const list = '{ alerts { threshold } }';
    const pages = ['GET /api/v2/alerts', 'GET /api/v2/alerts?limit=1000&offset=999'];
    await one.query(list);
    expect((await other.query(list)).body.data.alerts).toHaveLength(1021);
    expect(calls()).toEqual(pages);
    await one.query(
      `mutation { updateAlert(input: { alertId: "${last}", threshold: 1 }) { alert { id } } }`,
    );
    const after = await other.query(list);
    expect(after.body.data.alerts.at(-1)).toEqual({ threshold: 1 });
    expect(calls()).toEqual(
      [...pages, `GET /api/v2/alerts/${last}`, `PUT /api/v2/alerts/${last}`].sort(),
    );
  });
});
