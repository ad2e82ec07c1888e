import { expect, it, onTestFinished } from 'vitest';
import { startSandboxStack } from '../../support/harness.ts';
import { run } from '../../support/process/run-main.ts';

const program = [process.execPath, 'examples/gql-tada/src/main.ts'] as const;

it('the program of examples/gql-tada prints both trees', async () => {
  const stack = await startSandboxStack();
  onTestFinished(() => stack.close());
  const { code, text, errors } = await run({ SLUICE_URL: stack.url }, program).ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(text).toMatch(/^Northwind Analytics\n {2}\S.*, since \d{4}-/);
  expect(text).toMatch(/^ {4}clickstream: Running/m);
  expect(text).toMatch(/^ {4}API latency: \w+, fires above 800$/m);
});

it('the program of examples/gql-tada fails with a reason when the gateway is gone', async () => {
  const stack = await startSandboxStack();
  await stack.close();
  const { code, text, errors } = await run({ SLUICE_URL: stack.url }, program).ended;
  expect({ code, text }).toEqual({ code: 1, text: '' });
  expect(errors).toBe(
    `No gateway answers at ${stack.url}: run "npm run demo" at the root, or set SLUICE_URL.\n`,
  );
});

it('the program of examples/gql-tada names what failed beside what it prints', async () => {
  const stack = await startSandboxStack();
  onTestFinished(() => stack.close());
  const env = { SLUICE_URL: stack.url, OBSERVABILITY_AUTHORIZATION: 'Bearer wrong' };
  const { code, text, errors } = await run(env, program).ended;
  expect(code).toBe(0);
  expect(text).toMatch(/^Northwind Analytics$/m);
  expect(errors).toMatch(/^dashboards: UNAUTHENTICATED: /);
});
