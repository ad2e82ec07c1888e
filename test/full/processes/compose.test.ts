import { describe, expect, it } from 'vitest';
import {
  imageEnvironment,
  keptRules,
  readCompose,
  redisRules,
  startRedisBy,
  valuesOf,
  wordsOf,
} from '../../support/deploy.ts';
import { run, until } from '../../support/process/run-main.ts';
import { redisPath } from '../../support/redis/path.ts';

const password = 'a-password-of-redis';
const { gateway, redis, sandbox } = readCompose({
  REDIS_PASSWORD: password,
  CACHE_SECRET: 'a text that all gateways have in common',
});

/** A program as its service describes it. What is put in its place is where it is, as containers have names and ports. */
const startSandbox = async () => {
  const env = { ...sandbox?.environment, SANDBOX_HOST: '127.0.0.1' };
  const ports = { SANDBOX_MANAGEMENT_PORT: '0', SANDBOX_OBSERVABILITY_PORT: '0' };
  const process = run({ ...env, ...ports }, sandbox?.command);
  await until(() => process.output.text.includes('Ctrl-C') || process.child.exitCode !== null);
  const told = (pattern: RegExp): string => pattern.exec(process.output.text)?.[1] ?? '';
  return {
    ...process,
    management: told(/Management interface +(\S+)/),
    observability: told(/Observability interface +(\S+)/),
    key: told(/admin +\S+ +(Basic \S+)/),
  };
};

const startGateway = async (places: Readonly<Record<string, string>>) => {
  const described = { ...imageEnvironment, ...gateway?.environment };
  for (const from of Object.keys(places)) expect(Object.values(described).join()).toContain(from);
  const placed = Object.entries(described).map(([name, value]) => [
    name,
    Object.entries(places).reduce((text, [from, to]) => text.replace(from, to), value),
  ]);
  const env = { ...Object.fromEntries(placed), HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0' };
  const [command] = valuesOf('CMD').map(wordsOf);
  const process = run(env, command);
  const { port } = await process.logged('listening');
  return { ...process, url: `http://127.0.0.1:${port}/graphql` };
};

describe.skipIf(redisPath === undefined)('the services of compose.yaml, started by hand', () => {
  it('answer a query, and stop when they are told', async () => {
    const store = await startRedisBy(redis?.command ?? ['']);
    expect(await redisRules(store.port, password)).toEqual(keptRules);
    const world = await startSandbox();
    const served = await startGateway({
      'http://sandbox:4101': world.management,
      'http://sandbox:4102': world.observability,
      '@redis:6379': `@127.0.0.1:${store.port}`,
    });

    const answer = await fetch(served.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'management-authorization': world.key },
      body: '{"query":"{ organizations { name services { name } } }"}',
    });
    expect(await answer.json()).toMatchObject({
      data: { organizations: [{ name: 'Northwind Analytics', services: expect.anything() }] },
    });

    for (const process of [served, world, store]) {
      process.child.kill('SIGTERM');
      expect(await process.ended).toMatchObject({ code: 0, signal: null, errors: '' });
    }
  });
});
