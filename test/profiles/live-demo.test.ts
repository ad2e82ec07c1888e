import { expect, it } from 'vitest';
import { blocks } from '../support/docs/blocks.ts';
import { textOf, variablesOf } from '../support/operations.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';

/** The demo in the live profile, as its own lines describe it. */
const start = async (env: Readonly<Record<string, string>> = {}) => {
  const printed = await printedBy(startDemo(['--profile', 'live'], env));
  const found = (line: RegExp): string => line.exec(printed)?.[1] ?? '';
  const headers = {
    'content-type': 'application/json',
    'management-authorization': found(/Management-Authorization: (\S+ \S+)/),
    'observability-authorization': found(/Observability-Authorization: (\S+ \S+)/),
  };
  const query = async (query: string, variables = {}) => {
    const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) };
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return (await (await fetch(found(/GraphiQL +(\S+)/), init)).json()) as any;
  };
  return { printed, found, query };
};

it('the demo in the live profile says so, and keeps the limits of the services', async () => {
  const { printed, found, query } = await start();
  expect(printed).toContain(
    'profile         live (ClickHouse Cloud and HyperDX, as of August 2026)',
  );
  expect(printed).toMatch(/^ {2}limits +10 requests in 10 s for each key/m);
  const { data, errors } = await query(JSON.parse(found(/-d '(.*)'$/m)).query);
  expect(errors).toBeUndefined();
  expect(data.organizations[0].pipes.items.length).toBeGreaterThan(2);
  expect(data.alerts.length).toBeGreaterThan(1);
});

it('it answers the queries of the README as they are answered there, and refuses samples of the reference in userErrors', async () => {
  const { query } = await start({ SANDBOX_LIMITS: 'off' });
  const shown = blocks.filter(
    ({ page, language, answer }) => page === 'README.md' && language === 'graphql' && answer,
  );
  expect(shown.length).toBeGreaterThan(0);
  for (const { text, answer = '' } of shown) {
    // HyperDX has no state of that name.
    expect(await query(text)).toEqual(JSON.parse(answer.replaceAll('"active"', '"ALERT"')));
  }
  for (const name of ['CreatePipe', 'CreateDashboard']) {
    const { data, errors } = await query(textOf(name), variablesOf(name));
    expect(errors).toBeUndefined();
    expect(data[`c${name.slice(1)}`].userErrors).not.toEqual([]);
  }
});
