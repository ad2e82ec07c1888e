import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { node, run } from './run-main.ts';
import { first } from './workers-gateway.ts';

const backend = 'http://127.0.0.1:1';
const settings = { PORT: '0', MANAGEMENT_URL: backend, OBSERVABILITY_URL: backend };

const typeStripper = 'internal/deps/amaro/dist/index';
const ownUndici = 'internal/deps/undici/undici';

// A line is short, so that those of several processes are not torn.
const tellLoaded = first(`
  process.on('exit', () => {
    const names = process.moduleLoadList.map((name) => name.replace(/^NativeModule /, ''));
    const wanted = new Set(['http', '${typeStripper}', '${ownUndici}']);
    process.stderr.write(JSON.stringify(names.filter((name) => wanted.has(name))) + '\\n');
  });
`);

type Command = readonly [string, ...string[]];

/** Which of the modules above each process loads that is started so, until it has ended. */
const loadedBy = async (
  command: Command,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly string[])[]> => {
  const { child, ended, logged } = run({ ...settings, ...env, ...tellLoaded }, command);
  if (command.includes('src/main.ts')) {
    await logged('listening');
    child.kill('SIGTERM');
  }
  const { errors } = await ended;
  return errors
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).sort());
};

const [command] = node;
const bare: Command = [command, 'src/main.ts'];

// Signals to processes are POSIX's.
describe.skipIf(process.platform === 'win32')('a start', { timeout: 60_000 }, () => {
  it('has no undici loaded but the one that is used', async () => {
    const asModule: Command = [command, '--input-type=module', '--eval', "import 'node:http';"];
    expect(await loadedBy(asModule)).toEqual([['http', ownUndici]]);
    expect((await loadedBy(bare)).flat()).not.toContain(ownUndici);
  });

  // Node 22 keeps what it compiles, but not what it made of TypeScript before.
  it.skipIf(process.version.startsWith('v22.'))(
    'strips no types where one was before it, in workers neither',
    async () => {
      expect(await loadedBy(bare)).toEqual([['http', typeStripper]]);
      await loadedBy(node);
      expect(await loadedBy(node)).toEqual([['http']]);
      await loadedBy(node, { WORKERS: '2' });
      const processes = await loadedBy(node, { WORKERS: '2' });
      expect(processes).toHaveLength(3);
      expect(processes.flat()).not.toContain(typeStripper);
    },
  );

  it('keeps what was compiled while it runs, as a container may never end by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { logged } = run({ ...settings, NODE_COMPILE_CACHE: folder });
    await logged('listening');
    const isKept = async (): Promise<boolean> =>
      (await readdir(folder, { recursive: true })).length > 100;
    while (!(await isKept())) await pause(50);
  });
});
