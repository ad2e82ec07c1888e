import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mayHoldSecrets, textWithoutSecrets } from '../../src/documents/literals.ts';
import { listen, run, sendAlerts } from '../support/process/run-main.ts';
import { withIds } from '../support/world/ids.ts';

describe('strings in a text', () => {
  it.each([
    ['mutation { set(to: "s") }', 'mutation { set(to: "") }'],
    ['mutation { set(to: """s\n"t" """, n: 1) }', 'mutation { set(to: "", n: 1) }'],
    ['mutation { set(to: {a: ["s", "tü"], b: A}) }', 'mutation { set(to: {a: ["", ""], b: A}) }'],
    [
      'fragment F on P { a(b: "s") } mutation { ...F }',
      'fragment F on P { a(b: "") } mutation { ...F }',
    ],
    ['mutation ($a: String) { a # "s"\n off } # "tü', 'mutation ($a: String) { a \n off } '],
    [
      'mutation { a(b: "\\"s\\\\", c: """\\"""s#""", d: "#", e: """""") }',
      'mutation { a(b: "", c: "", d: "", e: "") }',
    ],
    // A mutation in a comment.
    ['{ a(b: "s") # mutation { set(to: "t") }\n} # u', '{ a(b: "s") \n} '],
    [
      '# mutation {\r\n# set(to: """\r\n# t\r\n# """) }\r\n{ a(b: """#""") }',
      '\r\n\r\n\r\n\r\n{ a(b: """#""") }',
    ],
  ])('may be secrets: %j becomes %j', (text, without) => {
    expect(mayHoldSecrets(parse(text))).toBe(true);
    expect(textWithoutSecrets(parse(text))).toBe(without);
  });

  it.each([
    'query ($a: String = "s") { a(b: "t") } # s',
    'mutation ($a: String) { set(to: $a, n: 1, role: ADMIN, off: true) }',
  ])('hold none: %j', (text) => {
    expect(mayHoldSecrets(parse(text))).toBe(false);
    expect(textWithoutSecrets(parse(text))).toBe(text);
  });
});

/** All strings and names in the memory of the process, once it has collected its garbage. */
const readMemory = async (folder: string, signal: () => void): Promise<string> => {
  signal();
  for (;;) {
    const [name] = await readdir(folder);
    const text = name === undefined ? '' : await readFile(join(folder, name), 'utf8');
    if (text.trimEnd().endsWith(']}')) return text;
    await pause(50);
  }
};

// Signals to processes are POSIX's.
it.skipIf(process.platform === 'win32')(
  'nothing of a text that may hold a secret outlives its request',
  { timeout: 60_000 },
  async () => {
    const upstream = await listen(sendAlerts);
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const urls = { MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url };
    const flags = ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`];
    const gateway = run({ PORT: '0', ...urls }, [process.execPath, ...flags, 'src/main.ts']);
    const { port } = await gateway.logged('listening');

    const ask = async (body: object, accept = 'application/json'): Promise<void> => {
      const headers = {
        ...{ 'content-type': 'application/json', accept, connection: 'close' },
        ...{ authorization: `Basic ${btoa('a:b')}`, 'observability-authorization': 'Bearer b' },
      };
      const url = `http://127.0.0.1:${port}/graphql`;
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      await (await fetch(url, init)).text();
    };
    /** Operations with a mark that stands for a secret, by the place of that; only that of a query is none. */
    const marks = new Map<string, string>();
    const mark = (place: string): string => {
      marks.set(place, marks.get(place) ?? `M${randomUUID().replaceAll('-', '')}`);
      return marks.get(place) ?? '';
    };
    const ids = withIds('@service-1');
    const set = (hash: string) =>
      `updateServicePassword(input: {${ids}, newPasswordHash: ${hash}}) { password }`;
    const quoted = (place: string) => set(`"${mark(place)}"`);
    const texts = [
      `{ alerts(filter: {nameContains: "${mark('a query')}"}) { name } }`,
      `mutation { ${quoted('a string')} }`,
      `mutation { ${set(mark('a word'))} }`,
      `mutation ($hash: String = "${mark('a default')}") { ${set('$hash')} }`,
      `mutation ($hash: String) { ${set('$hash')} } # "${mark('a comment')}"`,
      `{ alerts { id } } # mutation { ${quoted('a comment of a query')} }`,
      `{ ${quoted('a mutation without its keyword')} }`,
      `fragment F on Mutation { ${quoted('an unused fragment')} } { alerts { name } }`,
      `mutation ($hash: String) { ${set('$hash')} }`,
    ];
    const variables = { hash: mark('a variable') };
    // Again and again, so that what is kept of a document is kept.
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      for (const query of [...texts, ...texts, ...texts, ...texts]) {
        await ask({ query, variables }, accept);
      }
    }
    await ask({ query: '{ alerts { id } }' });

    const memory = await readMemory(folder, () => gateway.child.kill('SIGUSR2'));
    const found = [...marks].filter(([, each]) => memory.includes(each));
    expect(found.map(([place]) => place)).toEqual(['a query']);
  },
);
