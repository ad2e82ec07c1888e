import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { blocks } from '../support/docs/blocks.ts';

it('the first request of docs/clients.md is the one that the demo prints', async () => {
  const [request] = blocks.filter(
    ({ page, text }) => page === 'docs/clients.md' && text.startsWith('curl '),
  );
  const demo = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../sandbox/demo.ts', import.meta.url))],
    {
      env: { ...process.env, HOST: '127.0.0.1', PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(demo, 'exit');
  onTestFinished(async () => {
    demo.kill();
    await exited;
  });
  let printed = '';
  for await (const chunk of demo.stdout) {
    printed += chunk;
    if (printed.includes('Ctrl-C')) break;
  }
  const line = printed.split('\n').find((text) => text.startsWith('curl '));
  expect(line?.replace(/:\d+\/graphql/, ':4000/graphql')).toBe(request?.text.trim());
});
