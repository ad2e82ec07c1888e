import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mayHoldSecrets, textWithoutSecrets } from '../../src/documents/literals.ts';
import { listen, run, sendAlerts } from '../support/process/run-main.ts';

describe('strings in a text', () => {
  it.each([
    ['mutation { set(to: "s") }', 'mutation { set(to: "") }'],
    ['mutation { set(to: """s\n"t" """, n: 1) }', 'mutation { set(to: "", n: 1) }'],
    ['mutation { set(to: {a: ["s", "tü"], b: A}) }', 'mutation { set(to: {a: ["", ""], b: A}) }'],
    ['mutation ($a: String = "s") { s(t: $a) }', 'mutation ($a: String = "") { s(t: $a) }'],
    [
      'fragment F on P { a(b: "s") } mutation { ...F }',
      'fragment F on P { a(b: "") } mutation { ...F }',
    ],
    ['query A { a(b: "s") } mutation B { c }', 'query A { a(b: "") } mutation B { c }'],
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
    '{ a(b: "#", c: """ # "s" # """) }',
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
    const gateway = run(
      { PORT: '0', MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url },
      [
        process.execPath,
        '--heapsnapshot-signal=SIGUSR2',
        `--diagnostic-dir=${folder}`,
        'src/main.ts',
      ],
    );
    const { port } = await gateway.logged('listening');

    const send = async (query: string, accept: string, variables: object): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept,
          connection: 'close',
          authorization: `Basic ${btoa('a:b')}`,
          'observability-authorization': 'Bearer b',
        },
        body: JSON.stringify({ query, variables }),
      });
      await answer.text();
    };
    const id = '0a9a0000-0000-4000-8000-000000000001';
    const names = [
      ...['query', 'string', 'withoutQuotes', 'default', 'comment', 'commentOfQuery'],
      ...['withoutKeyword', 'unusedFragment', 'variable'],
    ] as const;
    const marks = Object.fromEntries(
      names.map((name) => [name, `M${randomUUID().replaceAll('-', '')}`]),
    ) as Record<(typeof names)[number], string>;
    const ids = `organizationId: "${id}", serviceId: "${id}"`;
    const setPassword = (input: string): string =>
      `updateServicePassword(input: {${input}}) { password }`;
    const declared = '($o: ID!, $s: ID!, $hash: String)';
    const given = 'organizationId: $o, serviceId: $s, newPasswordHash:';
    const variables = { o: id, s: id, hash: marks.variable };
    const texts: readonly string[] = [
      `{ alerts(filter: {nameContains: "${marks.query}"}) { name } }`,
      `mutation { ${setPassword(`${ids}, newPasswordHash: "${marks.string}"`)} }`,
      `mutation ${declared} { ${setPassword(`${given} ${marks.withoutQuotes}`)} }`,
      `mutation ($hash: String = "${marks.default}") { ${setPassword(`${ids}, newPasswordHash: $hash`)} }`,
      `mutation ${declared} { ${setPassword(`${given} $hash`)} } # "${marks.comment}"`,
      `{ alerts { id } } # mutation { ${setPassword(`${ids}, newPasswordHash: "${marks.commentOfQuery}"`)} }`,
      `{ ${setPassword(`${ids}, newPasswordHash: "${marks.withoutKeyword}"`)} }`,
      `fragment F on Mutation { ${setPassword(`${ids}, newPasswordHash: "${marks.unusedFragment}"`)} } { alerts { name } }`,
      `mutation ${declared} { ${setPassword(`${given} $hash`)} }`,
    ];
    // Again and again, so that what is kept of a document is kept.
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      for (const query of texts) {
        for (let time = 0; time < 4; time += 1) await send(query, accept, variables);
      }
    }
    await send('{ alerts { id } }', 'application/json', {});

    const memory = await readMemory(folder, () => gateway.child.kill('SIGUSR2'));
    const found = Object.entries(marks).filter(([, mark]) => memory.includes(mark));
    expect(found.map(([name]) => name)).toEqual(['query']);
  },
);
