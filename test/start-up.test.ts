import { expect, it } from 'vitest';
import { node, run } from './run-main.ts';
import { first } from './workers-gateway.ts';

const tellLoaded = first(
  "process.on('exit', () => process.stderr.write(process.moduleLoadList.join()));",
);

/** What Node loads of itself until a process that is started so has ended, by the names it uses. */
const loadedBy = async (command: readonly [string, ...string[]]): Promise<readonly string[]> => {
  const backend = 'http://127.0.0.1:1';
  const env = { PORT: '0', MANAGEMENT_URL: backend, OBSERVABILITY_URL: backend, ...tellLoaded };
  const { child, ended, logged } = run(env, command);
  if (command.includes('src/main.ts')) {
    await logged('listening');
    child.kill('SIGTERM');
  }
  const { errors } = await ended;
  return errors.split(',').map((name) => name.replace(/^NativeModule /, ''));
};

const typeStripper = 'internal/deps/amaro/dist/index';
const ownUndici = 'internal/deps/undici/undici';

// Either takes about a tenth of the time that a start takes.
it.skipIf(process.platform === 'win32')(
  'from its second start on, the gateway strips no types, and has no other undici loaded',
  { timeout: 60_000 },
  async () => {
    const [command] = node;
    expect(await loadedBy([command, 'src/main.ts'])).toContain(typeStripper);
    expect(
      await loadedBy([command, '--input-type=module', '--eval', "import 'node:http';"]),
    ).toContain(ownUndici);
    await loadedBy(node);
    const loaded = await loadedBy(node);
    expect(loaded).toContain('http');
    expect(loaded).not.toContain(typeStripper);
    expect(loaded).not.toContain(ownUndici);
  },
);
