import { expect, it } from 'vitest';
import { root, run } from '../support/client/folder.ts';

const script = `
  import { watchUncaught } from './src/process.ts';
  const said = [];
  const log = { fatal: () => said.push('fatal') };
  watchUncaught(log, async () => {
    said.push('end');
    setImmediate(() => { throw new Error('on the way to the end'); });
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  process.on('exit', (code) => console.log([...said, code].join(' ')));
  setImmediate(() => { throw new Error('first'); });
`;

it('stops only once, though another exception is thrown while it stops', async () => {
  const ended = run(process.execPath, ['--input-type=module', '--eval', script], root);
  // The message of the failure has what was printed.
  await expect(ended).rejects.toThrow(/\nfatal end fatal 1\n/);
});
