import { describe, expect, it, onTestFinished } from 'vitest';
import { credentials } from '../../sandbox/world/credentials.ts';
import { startSandboxStack } from '../support/harness.ts';
import { cacheSecret } from '../support/redis/stacks.ts';
import { redisPath, startRedis } from '../support/redis.ts';

const page = `{
  organizations {
    id name invitations { email }
    services { id name endpoints { host username } backupConfiguration { backupPeriodInHours }
      pipes { id name state } } }
  dashboards { id name tiles { name } alerts { id name } }
}`;

/** Words and identifiers of a text that mean something; numbers and short words are found in any bytes. */
const wordsOf = (text: string): readonly string[] => [
  ...new Set(text.match(/[\w@.:/-]{6,}/g) ?? []),
];

describe.skipIf(redisPath === undefined)('a dump of Redis', () => {
  it('holds no credential, no secret and nothing of what was read and written, and nothing that stays for ever', async () => {
    const redis = await startRedis();
    const stack = await startSandboxStack({
      config: {
        readCacheBytes: 64 * 1024 * 1024,
        managementRate: { calls: 1000, windowMs: 10_000 },
        observabilityRate: { calls: 1000, windowMs: 10_000 },
        ...{ redisUrl: redis.url, cacheSecret, redisTimeoutMs: 1000 },
      },
    });
    onTestFinished(stack.close);
    const { body } = await stack.query(page);
    expect(body.errors).toBeUndefined();
    const [{ id: organizationId, services }] = body.data.organizations;
    const ids = `organizationId: "${organizationId}", serviceId: "${services[0].id}"`;
    const renamed = `mutation { updateOrganization(input: { organizationId: "${organizationId}", name: "renamed by the test" }) { organization { name } } }`;
    const pipes = `{ pipes: service(${ids}) { pipes { id name state source { __typename } } } }`;
    const writes = await stack.query(renamed);
    expect(writes.body.errors).toBeUndefined();
    await stack.query(`mutation { updateServicePassword(input: { ${ids} }) { password } }`);
    await stack.query(pipes);
    await stack.query(page, {
      headers: { 'management-authorization': 'Basic d3Jvbmc6d3Jvbmctc2VjcmV0' },
    });

    const dumped = await redis.dump();
    for (const { name, expiresIn } of dumped) expect([name, expiresIn > 0]).toEqual([name, true]);
    const kinds = new Set(dumped.map(({ name }) => name.split(':')[1]));
    // Nothing of this would be found in a dump that has nothing in it.
    for (const kind of ['read', 'changed', 'changed-for-all', 'era']) expect(kinds).toContain(kind);
    // But for the kinds of keys, and the fields of an entry.
    const text = dumped
      .flatMap(({ name, values }) => [name, ...values.map((each) => each.toString('latin1'))])
      .map((each) => each.replace(/^\{sluice\}:[\w-]+:?/, ''))
      .filter((each) => !['marks', 'sentAt', 'readAt', 'sealed'].includes(each))
      .join('\n');
    const secrets = wordsOf(JSON.stringify(credentials));
    const calls = stack.calls.flatMap(({ path, body: sent }) => [path, ...wordsOf(sent)]);
    const sought = [
      ...[cacheSecret, 'wrong-secret', 'd3Jvbmc6d3Jvbmctc2VjcmV0', 'renamed by the test'],
      ...[...secrets, ...calls, ...wordsOf(JSON.stringify(body))],
    ];
    expect(sought.length).toBeGreaterThan(100);
    for (const word of sought) {
      for (const form of [
        word,
        Buffer.from(word).toString('base64'),
        Buffer.from(word).toString('hex'),
      ]) {
        expect([word, text.includes(form)]).toEqual([word, false]);
      }
    }
  });
});
