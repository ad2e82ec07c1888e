import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Answer, data, json, type Stack, startStack } from './harness.ts';

const dashboards = ['d0', 'd1'].map((id) => ({ id, name: `dashboard ${id}`, tiles: [] }));
/** More than it takes for what is selected of them to be compiled. */
const alerts = Array.from({ length: 250 }, (_, index) => ({
  id: `a${index}`,
  name: `alert ${index} ü`,
  dashboard: dashboards[index % 3]?.id ?? null,
}));
const query = '{ alerts { id name dashboard { name } } }';

let stack: Stack;
let answers: Readonly<Record<'alerts' | 'dashboards', Answer>>;

beforeEach(async () => {
  answers = { alerts: data(alerts), dashboards: data(dashboards) };
  stack = await startStack({
    management: () => json({}, 500),
    observability: ({ path }) => {
      if (path.endsWith('/alerts')) return answers.alerts;
      if (path.endsWith('/dashboards')) return answers.dashboards;
      return json({}, 404);
    },
  });
});
afterEach(() => stack.close());

const headers = { 'x-request-id': 'the-same' };
/** As Yoga answers, which transcribes nothing. */
const askYoga = () =>
  stack.query(query, { headers: { ...headers, accept: 'application/json;q=1' } });
const ask = (more = {}) => stack.query(query, { headers: { ...headers, ...more } });

/** What is parsed meanwhile, but for requests and for what came over HTTP to this test. */
const parsedIn = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    await act();
    return parse.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.startsWith('{"data":['));
  } finally {
    parse.mockRestore();
  }
};

it('a list that is asked for often is not parsed, and makes the same answer of the same calls', async () => {
  const alertsText = answers.alerts.body;
  expect(await parsedIn(askYoga)).toContain(alertsText);
  const { text: expected } = await askYoga();
  const before = stack.calls.length;
  const parsed = await parsedIn(async () => {
    const { text, headers: sent } = await ask();
    expect(text).toBe(expected);
    expect(sent.get('content-length')).toBe(String(Buffer.byteLength(expected)));
  });
  // The rows left out, and the dashboards, which hold lists.
  expect(parsed).not.toContain(alertsText);
  expect(parsed).toContain('{"data":[]}');
  expect(
    stack.calls
      .slice(before)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/api/v2/alerts', '/api/v2/dashboards']);
  // What node:http has read is answered alike.
  expect((await ask({ 'proxy-connection': 'keep-alive' })).text).toBe(expected);
});

it.each([
  ['rows without an identifier', () => ({ alerts: data([...alerts, { name: 'no id' }, null]) })],
  ['a name that is none', () => ({ alerts: data([...alerts, { id: 'a', name: {} }]) })],
  ['no list', () => ({ alerts: data({}) })],
  ['half a list', () => ({ alerts: { ...data(alerts), body: data(alerts).body.slice(0, 999) } })],
  ['a failure', () => ({ alerts: json({ message: 'no' }, 403) })],
  ['a link that fails', () => ({ dashboards: json({ message: 'no' }, 500) })],
  ['links to nothing', () => ({ dashboards: data([]) })],
])('%s: the answer and the log are as ever, and so is what follows', async (title, odd) => {
  await ask();
  const { text: usual } = await ask();
  const before = answers;
  answers = { ...answers, ...odd() };
  const lines: string[][] = [];
  const texts: string[] = [];
  for (const each of [askYoga, ask]) {
    const logged = stack.complaints().length;
    texts.push((await each()).text);
    const written = stack.complaints().slice(logged);
    lines.push(written.split('\n').map((line) => line.replace(/"time":\d+/, '')));
  }
  expect(texts[1]).toBe(texts[0]);
  // Rows that cannot be used are left out.
  expect(texts[1] === usual).toBe(title === 'rows without an identifier');
  expect(lines[1]).toEqual(lines[0]);
  answers = before;
  expect((await ask()).text).toBe(usual);
});
