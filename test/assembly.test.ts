import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../src/transcription/assembly/', import.meta.url));

it('transcribe.wasm is what its sources give', async () => {
  const written = new Map<string, string | Uint8Array>();
  const { error, stderr } = await main(['--config', resolve(folder, 'asconfig.json')], {
    writeFile: (name, contents, base) => {
      written.set(resolve(base, name), contents);
    },
  });
  expect([error, stderr.toString()]).toEqual([null, '']);
  const committed = resolve(dirname(folder), 'transcribe.wasm');
  expect([...written.keys()]).toEqual([committed]);
  const made = written.get(committed) ?? '';
  // Otherwise: npm run assemble.
  expect(Buffer.from(made).equals(readFileSync(committed))).toBe(true);
});
