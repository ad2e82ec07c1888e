import { expect, it, onTestFinished } from 'vitest';
import { credentials } from '../../sandbox/world/credentials.ts';
import { startSandboxStack } from '../support/harness.ts';
import { cacheSecret } from '../support/redis/stacks.ts';
import { redisPath, startRedis } from '../support/redis.ts';

const page = `{ dashboards { id name tiles { name } alerts { id name } } organizations {
  id name invitations { email } services { id name endpoints { host username } pipes { id name state }
    backupConfiguration { backupPeriodInHours } } } }`;

/** Words and identifiers of a text that mean something; numbers and short words are found in any bytes. */
const wordsOf = (text: string): readonly string[] => [
  ...new Set(text.match(/[\w@.:/-]{6,}/g) ?? []),
];

it.skipIf(redisPath === undefined)(
  'a dump of Redis holds no credential, no secret and nothing of what was read and written, and nothing that stays for ever',
  async () => {
    const redis = await startRedis();
    const rate = { calls: 1000, windowMs: 10_000 };
    const stack = await startSandboxStack({
      config: {
        ...{ readCacheBytes: 64 * 1024 * 1024, managementRate: rate, observabilityRate: rate },
        ...{ redisUrl: redis.url, cacheSecret, redisTimeoutMs: 1000 },
      },
    });
    onTestFinished(stack.close);
    const { body } = await stack.query(page);
    const [{ id: organizationId, services }] = body.data.organizations;
    const ids = `organizationId: "${organizationId}", serviceId: "${services[0].id}"`;
    for (const document of [
      `mutation { updateOrganization(input: { organizationId: "${organizationId}", name: "renamed by the test" }) { organization { name } } }`,
      `mutation { updateServicePassword(input: { ${ids} }) { password } }`,
      `{ pipes: service(${ids}) { pipes { id name state source { __typename } } } }`,
    ]) {
      expect((await stack.query(document)).body.errors).toBeUndefined();
    }
    const wrong = 'd3Jvbmc6d3Jvbmctc2VjcmV0';
    await stack.query(page, { headers: { 'management-authorization': `Basic ${wrong}` } });

    const dumped = await redis.dump();
    expect(dumped.filter(({ expiresIn }) => expiresIn <= 0)).toEqual([]);
    const kinds = new Set(dumped.map(({ name }) => name.split(':')[1]));
    // Nothing of this would be found in a dump that has nothing in it.
    for (const kind of ['read', 'changed', 'changed-for-all', 'era']) expect(kinds).toContain(kind);
    // But for the kinds of keys, and the fields of an entry.
    const text = dumped
      .flatMap(({ name, values }) => [name, ...values.map((each) => each.toString('latin1'))])
      .map((each) => each.replace(/^\{sluice\}:[\w-]+:?/, ''))
      .filter((each) => !['marks', 'sentAt', 'readAt', 'sealed'].includes(each))
      .join('\n');
    const calls = stack.calls.flatMap(({ path, body: sent }) => [path, ...wordsOf(sent)]);
    const sought = [
      ...[cacheSecret, 'wrong-secret', wrong, 'renamed by the test', ...calls],
      ...[...wordsOf(JSON.stringify(credentials)), ...wordsOf(JSON.stringify(body))],
    ];
    expect(sought.length).toBeGreaterThan(100);
    for (const word of sought) {
      for (const coding of ['latin1', 'base64', 'hex'] as const) {
        expect([word, text.includes(Buffer.from(word).toString(coding))]).toEqual([word, false]);
      }
    }
  },
);
