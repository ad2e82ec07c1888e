import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { at, imageEnvironment, type Manifest, readCompose, render } from '../support/deploy.ts';
import { blocks } from '../support/docs/blocks.ts';
import { kubectlPath } from '../support/programs.ts';

const texts = blocks
  .filter(({ conditions }) => conditions['run-by'] === 'test/deploy/commands.test.ts')
  .map(({ text }) => text);

/** Runs the block of the documentation with these words, and functions of the shell in the place of programs. */
const shell = async (stubs: string, words: string): Promise<string> => {
  const block = texts.find((text) => text.includes(words)) ?? 'exit 1';
  const script = ['-euc', `${stubs}\n${block}`];
  return (await promisify(execFile)('sh', script, { env: { PATH: process.env.PATH } })).stdout;
};

const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

const manifests = kubectlPath === undefined ? [] : render('deploy/example');
const containerOf = (deployment: string): Manifest =>
  at(manifests, `Deployment ${deployment} spec template spec containers 0`);

describe.skipIf(kubectlPath === undefined)('the documented commands for Kubernetes', () => {
  it('the documented commands for Kubernetes apply what exists', async () => {
    const said = await shell('kubectl() { echo "$*"; }', 'kubectl apply');
    const [first, secret, last, ...rest] = said.trim().split('\n');
    expect([secret, rest]).toEqual([
      expect.stringMatching(/^create secret generic sluice --namespace sluice /),
      [],
    ]);
    for (const line of [first, last]) {
      const [, path = ''] = /^apply -[fk] (\S+)$/.exec(line ?? '') ?? [];
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), line).toBe(true);
    }
  });

  it('the documented commands make the Secret that the manifests refer to, anew each time, and the gateway starts with it', async () => {
    const stub = 'kubectl() { [ "$1" != create ] || cat; }';
    const make = async () => variablesIn(await shell(stub, 'kubectl create secret'));
    const [secret, another] = [await make(), await make()];
    const used = ['sluice', 'sluice-redis']
      .flatMap((name) => containerOf(name).env)
      .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    expect(new Set(used.map(({ name }) => name))).toEqual(new Set(['sluice']));
    expect(used.map(({ key }) => key).sort()).toEqual(Object.keys(secret).sort());
    for (const [name, value] of Object.entries(secret)) {
      expect(['', another[name]], name).not.toContain(value);
    }
    const { hostname, port, password } = new URL(secret.REDIS_URL ?? '');
    const redisPort = at(manifests, 'Service sluice-redis spec ports 0 port');
    expect([hostname, port]).toEqual(['sluice-redis', String(redisPort)]);
    expect(password).toBe(secret.REDIS_PASSWORD);

    const { env, ports } = containerOf('sluice');
    const given = env.map(({ name, value, valueFrom }: Manifest) => [
      name,
      value ?? secret[valueFrom.secretKeyRef.key],
    ]);
    const settings = at(manifests, 'ConfigMap sluice-settings data');
    const config = readConfig({ ...imageEnvironment, ...settings, ...Object.fromEntries(given) });
    const [http, metrics] = ports;
    expect(config).toMatchObject({
      ...{ port: http.containerPort, metricsPort: metrics.containerPort, replicas: 10 },
      ...{ redisUrl: secret.REDIS_URL, cacheSecret: secret.CACHE_SECRET },
      ...{ graphiql: false, explain: false },
    });
  });
});

it('the commands for Compose in the documentation give compose.yaml what it needs', async () => {
  const given = variablesIn(await shell('docker() { env; }', 'docker compose up'));
  const { gateway } = readCompose(given);
  const config = readConfig({ ...imageEnvironment, ...gateway.environment });
  expect(config).toMatchObject({ port: 4000, cacheSecret: given.CACHE_SECRET, explain: true });
  expect(config.redisUrl).toBe(`redis://:${given.REDIS_PASSWORD}@redis:6379`);
});
