import { describe, expect, it } from 'vitest';
import { result, type Stack } from '../support/harness.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { withIds } from '../support/world/ids.ts';
import { basic, path, service, services } from './open.ts';

const query = withIds(
  '{ service(organizationId: "organization-1", serviceId: "service-1") { name } }',
);

describe.skipIf(redisPath === undefined)('two gateways over one Redis', () => {
  it.each([
    ['at the path', 'PUT', service, 1],
    ['below', 'POST', `${service}/other`, 1],
    ['above', 'DELETE', services, 1],
    ['elsewhere', 'POST', path('/v1/organizations/organization-1/byoc'), 0],
  ])('a write %s at one is seen at the other', async (_, method, at, anew) => {
    const record = path('{"id":"service-1","name":"one"}');
    const { one, other, calls } = await startTwoOverRedis({
      management: () => result(JSON.parse(record)),
      config: { rest: 'write' },
    });
    const door = async ({ url }: Stack, target: string, of: string) => {
      const headers = { authorization: basic, 'content-type': 'application/json' };
      const { status, headers: sent } = await fetch(new URL(`/management${target}`, url), {
        ...{ method: of, headers },
        ...(of !== 'GET' && { body: '{}' }),
      });
      expect(status).toBe(200);
      return sent.has('age');
    };
    await one.query(query);
    expect(await door(other, service, 'GET')).toBe(true);
    expect(calls()).toEqual([`GET ${service}`]);
    await door(one, at, method);
    calls();
    expect(await door(other, service, 'GET')).toBe(anew === 0);
    await one.query(query);
    expect(calls()).toEqual(anew ? [`GET ${service}`] : []);
  });
});
