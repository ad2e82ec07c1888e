// Makes a release. Nothing is published from here: .github/workflows/release.yml publishes the files of a tag that is pushed.
//
//   npm run release -- 0.2.0             tries all of it in a clone of the last commit, and leaves the files in release-files/
//   npm run release -- 0.2.0 --commit    commits and tags the release here
//   npm run release -- --tagged          makes the files of the commit here, which has its tag
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const run = (folder: string, command: string, ...args: readonly string[]): void => {
  say(`> ${command} ${args.join(' ')}`);
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
};

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

/** Replaces a text in a file. @throws if the file does not have it. */
const edit = (folder: string, path: string, from: string | RegExp, to: string): void => {
  const before = read(folder, path);
  const after = before.replaceAll(from, to);
  if (after === before) throw new Error(`${path} does not have ${from}`);
  writeFileSync(join(folder, path), after);
};

const unreleased = '## [Unreleased]\n';

/** @throws if this version cannot be released from the folder's last commit. */
const check = (folder: string, version: string): void => {
  const changelog = read(folder, 'CHANGELOG.md');
  const [before = '', changes = ''] = changelog.split(unreleased);
  const told = changes.split(/^## /m)[0]?.trim();
  const released = [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, name = '']) => name);
  const isNewer = released.every(
    (other) => version.localeCompare(other, 'en', { numeric: true }) > 0,
  );
  const refusals = [
    [!/^\d+\.\d+\.\d+$/.test(version), `${version} is not a version such as 0.2.0`],
    [git(folder, 'status', '--porcelain') !== '', 'git has changes that are not committed'],
    [git(folder, 'tag', '--list', `v${version}`) !== '', `the tag v${version} exists`],
    [before === '' || !told, 'CHANGELOG.md tells nothing below [Unreleased]'],
    [!isNewer, `CHANGELOG.md has a version that is not older than ${version}`],
  ] as const;
  for (const [refused, reason] of refusals) if (refused) throw new Error(reason);
};

/** Changes a file of JSON in npm's form. */
const editJson = (
  folder: string,
  path: string,
  change: (value: Record<string, unknown> & { packages?: Record<string, object> }) => void,
): void => {
  const value = JSON.parse(read(folder, path));
  change(value);
  writeFileSync(join(folder, path), `${JSON.stringify(value, undefined, 2)}\n`);
};

/** `npm version` would install everything, and leave the examples' lock files and the guides. */
const writeVersion = (folder: string, version: string): void => {
  const { version: old, workspaces } = JSON.parse(read(folder, 'package.json'));
  if (version === old) return;
  const packages: readonly string[] = ['.', ...workspaces];
  for (const path of packages) {
    editJson(folder, join(path, 'package.json'), (value) => Object.assign(value, { version }));
  }
  for (const path of git(folder, 'ls-files', '*package-lock.json').split('\n')) {
    editJson(folder, path, (lock) => {
      if (path === 'package-lock.json') Object.assign(lock, { version });
      for (const [key, entry] of Object.entries(lock.packages ?? {})) {
        if (packages.includes(join(dirname(path), key))) Object.assign(entry, { version });
      }
    });
  }
  // Names of the packages' files, of the image and of the tag, in the guides, in deploy/ and in their tests.
  const names = `(sluice(-client)?-|sluice:|newTag: |ref=v)${old.replaceAll('.', '\\.')}`;
  for (const path of git(folder, 'grep', '-lE', names).split('\n')) {
    edit(folder, path, new RegExp(names, 'g'), `$1${version}`);
  }
};

/** Writes the version, moves what is unreleased below it, and keeps the schema; commits and tags. */
const commit = (folder: string, version: string): void => {
  writeVersion(folder, version);
  const schema = join(folder, `releases/${version}.graphql`);
  cpSync(join(folder, 'schema.graphql'), schema);
  const today = new Date().toISOString().slice(0, 10);
  const heading = `## [${version}] - ${today}\n\nSchema: SHA-256 \`${sha256(schema)}\`.\n`;
  edit(folder, 'CHANGELOG.md', unreleased, `${unreleased}\n${heading}`);
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', `Release ${version}`);
  git(folder, 'tag', '--annotate', '--message', `Sluice ${version}`, `v${version}`);
};

/** The program that builds images: CONTAINER names it. */
const findContainerProgram = (): string | undefined =>
  [process.env.CONTAINER ?? ['docker', 'podman']]
    .flat()
    // Docker's version fails without its daemon.
    .find((program) => spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0);

/** Builds an image as a file, with its list of packages beside it. */
const makeImage = (program: string, folder: string, target: string, name: string, to: string) => {
  const { version, repository } = JSON.parse(read(folder, 'package.json'));
  const { NODE_IMAGE, NPM_REGISTRY, NODE_EXTRA_CA_CERTS } = process.env;
  const values = Object.entries({
    VERSION: version,
    REVISION: git(folder, 'rev-parse', 'HEAD'),
    SOURCE: repository?.url ?? '',
    CREATED: git(folder, 'show', '--no-patch', '--format=%cI', 'HEAD'),
    NODE_IMAGE,
    NPM_REGISTRY,
  }).flatMap(([key, value]) => (value === undefined ? [] : ['--build-arg', `${key}=${value}`]));
  const secrets = NODE_EXTRA_CA_CERTS ? ['--secret', `id=ca,src=${NODE_EXTRA_CA_CERTS}`] : [];
  const image = `sluice:${name}`;
  run(folder, program, 'build', '--target', target, '--tag', image, ...secrets, ...values, '.');
  run(folder, program, 'save', '--output', join(to, `sluice-image-${name}.tar`), image);
  const container = execFileSync(program, ['create', image], { encoding: 'utf8' }).trim();
  run(
    folder,
    program,
    'cp',
    `${container}:/app/sbom.cdx.json`,
    join(to, `sluice-${name}.cdx.json`),
  );
  run(folder, program, 'rm', container);
};

/** Makes all files of the release that is checked out in a folder. */
const makeFiles = (folder: string, version: string, to: string, mustHaveImage: boolean): void => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  // `prepack` builds each of them.
  run(folder, 'npm', 'pack', '--pack-destination', to);
  run(folder, 'npm', 'pack', '--workspace', 'client', '--pack-destination', to);
  cpSync(join(folder, 'schema.graphql'), join(to, 'schema.graphql'));
  const program = findContainerProgram();
  if (program !== undefined) {
    makeImage(program, folder, 'gateway', version, to);
    makeImage(program, folder, 'otel', `${version}-otel`, to);
  } else if (mustHaveImage) throw new Error('neither docker nor podman works here');
  else say('No image: neither docker nor podman works here.');
  const sums = readdirSync(to).map((name) => `${sha256(join(to, name))}  ${name}\n`);
  writeFileSync(join(to, 'SHA256SUMS'), sums.join(''));
};

const { values, positionals } = parseArgs({
  options: {
    commit: { type: 'boolean', default: false },
    tagged: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const here = import.meta.dirname;
const files = join(here, 'release-files');
const [asked = ''] = positionals;
try {
  if (values.tagged) {
    const { version } = JSON.parse(read(here, 'package.json'));
    if (!git(here, 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) {
      throw new Error(`the commit does not have the tag v${version}`);
    }
    if (!existsSync(join(here, `releases/${version}.graphql`))) {
      throw new Error(
        `the commit was not made by --commit: releases/${version}.graphql is not there`,
      );
    }
    makeFiles(here, version, files, true);
  } else {
    check(here, asked);
    if (values.commit) {
      commit(here, asked);
      say(`To publish: git push --atomic origin HEAD v${asked}`);
    } else {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'));
      try {
        git(here, 'clone', '--quiet', here, folder);
        commit(folder, asked);
        run(folder, 'npm', 'ci', '--no-audit', '--no-fund');
        makeFiles(folder, asked, files, false);
        say('A dry run: release-files/ has the files, and nothing else was changed.');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
