import { expect, it } from 'vitest';
import { run } from '../support/process/run-main.ts';

/** Node as if it were of that version. */
const startOn = (version: string) => {
  const source = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const pretend = `data:text/javascript,${encodeURIComponent(source)}`;
  return run({}, [
    process.execPath,
    '--import',
    pretend,
    '--import',
    './src/preload.js',
    'src/main.ts',
  ]);
};

it.each(['18.20.0', '20.20.2', '22.18.0'])('refuses Node %s in one sentence', async (version) => {
  const { code, text, errors } = await startOn(version).ended;
  expect([code, text]).toEqual([1, '']);
  expect(errors).toMatch(
    new RegExp(`^Sluice needs Node 22\\.19 or newer and was started with ${version}: .*\\n$`),
  );
});

it.each(['22.19.0', '24.0.0'])('goes on with Node %s', async (version) => {
  const { errors } = await startOn(version).ended;
  expect(errors).toMatch(/^Sluice cannot start:\n {2}MANAGEMENT_URL is required/);
});
