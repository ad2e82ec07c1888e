import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { readCompose } from '../support/deploy/compose.ts';
import { environmentOf, readDockerfile } from '../support/deploy/dockerfile.ts';
import { at } from '../support/deploy/hardening.ts';
import { isObject, type Json, render } from '../support/deploy/render.ts';
import { blocks } from '../support/docs/blocks.ts';

const texts = blocks
  .filter(({ conditions }) => conditions['run-by'] === 'test/deploy/commands.test.ts')
  .map(({ text }) => text);
const textWith = (words: string): string => texts.find((text) => text.includes(words)) ?? '';

/** Runs a block of the documentation with functions of the shell in the place of programs. */
const shell = async (stubs: string, block: string): Promise<string> => {
  const script = `${stubs}\n${block}`;
  return (await promisify(execFile)('sh', ['-euc', script], { env: { PATH: process.env.PATH } }))
    .stdout;
};

const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, value]];
    }),
  );

const manifests = render('deploy/example');
const listAt = (path: string): readonly Json[] => {
  const value = at(manifests, path);
  return Array.isArray(value) ? value : [];
};

/** The variables of a container, and the members of the Secret that some of them come from. */
const environmentIn = (deployment: string) =>
  listAt(`Deployment ${deployment} spec template spec containers 0 env`)
    .filter(isObject)
    .map(({ name, value, valueFrom }) => {
      const from = isObject(valueFrom) ? valueFrom.secretKeyRef : undefined;
      return {
        name: String(name),
        value,
        secret: isObject(from) ? String(from.name) : undefined,
        key: isObject(from) ? String(from.key) : '',
      };
    });

describe('the commands for Kubernetes in the documentation', () => {
  it('apply what exists', async () => {
    const said = await shell('kubectl() { echo "$*"; }', textWith('kubectl apply'));
    const lines = said.trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^create secret generic sluice --namespace sluice /);
    for (const line of [lines[0], lines[2]]) {
      const [, path = ''] = /^apply -[fk] (\S+)$/.exec(line ?? '') ?? [];
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), line).toBe(true);
    }
  });

  it('make the Secret that the manifests refer to, anew each time', async () => {
    const make = async () => {
      const stub = 'kubectl() { [ "$1" != create ] || cat; }';
      return variablesIn(await shell(stub, textWith('kubectl create secret')));
    };
    const [secret, another] = [await make(), await make()];
    const used = ['sluice', 'sluice-redis']
      .flatMap(environmentIn)
      .filter((variable) => variable.secret !== undefined);
    expect(new Set(used.map((variable) => variable.secret))).toEqual(new Set(['sluice']));
    expect(used.map(({ key }) => key).sort()).toEqual(Object.keys(secret).sort());
    for (const [name, value] of Object.entries(secret)) {
      expect(value, name).not.toBe('');
      expect(value, name).not.toBe(another[name]);
    }

    const service = manifests.find(({ metadata }) => metadata.name === 'sluice-redis');
    const url = new URL(secret.REDIS_URL ?? '');
    expect([url.hostname, url.port]).toEqual([
      service?.metadata.name,
      String(at(manifests, 'Service sluice-redis spec ports 0 port')),
    ]);
    expect(url.password).toBe(secret.REDIS_PASSWORD);

    const settings = at(manifests, 'ConfigMap sluice-settings data');
    const given = environmentIn('sluice').map(({ name, value, key }) => [
      name,
      value ?? secret[key],
    ]);
    const config = readConfig({
      ...environmentOf(await readDockerfile()),
      ...(isObject(settings) ? settings : {}),
      ...Object.fromEntries(given),
    });
    expect(config).toMatchObject({
      port: at(
        manifests,
        'Deployment sluice spec template spec containers 0 ports 0 containerPort',
      ),
      metricsPort: at(
        manifests,
        'Deployment sluice spec template spec containers 0 ports 1 containerPort',
      ),
      redisUrl: secret.REDIS_URL,
      cacheSecret: secret.CACHE_SECRET,
      replicas: 10,
      graphiql: false,
      explain: false,
    });
  });
});

it('the commands for Compose in the documentation give compose.yaml what it needs', async () => {
  const given = variablesIn(await shell('docker() { env; }', textWith('docker compose up')));
  const { gateway } = readCompose(given);
  const config = readConfig({
    ...environmentOf(await readDockerfile()),
    ...gateway?.environment,
  });
  expect(config).toMatchObject({ port: 4000, cacheSecret: given.CACHE_SECRET, explain: true });
  expect(config.redisUrl).toBe(`redis://:${given.REDIS_PASSWORD}@redis:6379`);
});
