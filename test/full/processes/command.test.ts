import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check } from '../../../src/command/check.ts';
import { section, table } from '../../support/docs/pages.ts';
import { listen, node, run } from '../../support/process/run-main.ts';

const start = (
  argument: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof run>['ended'] => run(env, [...node, ...argument]).ended;

/** A server that answers with one status, and what it was asked. */
const answering = async (status: number) => {
  const asked: string[] = [];
  const { url } = await listen((response) => {
    const { method, url: path, headers } = response.req;
    asked.push(`${method} ${path} ${headers.authorization}`);
    response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end('cnry');
  });
  return { url, asked };
};

const checkOf = async (management: string, observability: string) => {
  const { text, ...ended } = await start(['--check'], {
    MANAGEMENT_URL: management,
    OBSERVABILITY_URL: observability,
  });
  return { ...ended, lines: text.trimEnd().split('\n') };
};

describe('--help', () => {
  it('names every variable that docs/operating.md names, in a line with the same default', async () => {
    const { code, text, errors } = await start(['--help'], { PORT: 'wrong' });
    expect([code, errors]).toEqual([0, '']);
    const shown = [...text.matchAll(/^ {2}([A-Z_]+) +(\S+) +\S.*$/gm)].map((row) => row.slice(1));
    const rows = table(section('docs/operating.md', 'Configuration'), 'Variable', 'Default');
    const documented = rows.map((row) => row.slice(0, 2));
    expect(shown.length).toBeGreaterThan(30);
    expect(shown.sort()).toEqual(documented.sort());
  });

  it('says what the gateway is, and what its exit codes mean', async () => {
    const { text } = await start(['-h']);
    expect(text).toMatch(/^Sluice is a GraphQL gateway /);
    expect(text).toMatch(/^Exit code: 0 .*1 .*\n?.*2 if --check cannot reach an upstream/m);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it.skipIf(process.platform === 'win32')('is reached through npm start', async () => {
    const { code, text } = await run({}, ['npm', 'start', '--silent', '--', '--help']).ended;
    expect(code).toBe(0);
    expect(text).toMatch(/^Sluice is a GraphQL gateway /);
  });
});

describe('an argument that is not known', () => {
  it.each([
    ['--verbose', 'the argument --verbose'],
    ['--port=cnry', 'the argument --port'],
    ['https://user:cnry@management.example', 'one of the arguments'],
    ['', 'one of the arguments'],
    ['--cnry cnry', 'one of the arguments'],
  ])('is told in a line, without its value: %s', async (argument, named) => {
    const { code, text, errors } = await start(['--check', argument]);
    expect([code, text]).toEqual([1, '']);
    expect(errors).toBe(
      `Sluice does not know ${named}. It takes --help and --check; settings are environment variables.\n`,
    );
  });
});

describe('--check', () => {
  it.each([200, 401, 404, 500, 503])(
    'takes status %d for an upstream that is there',
    async (status) => {
      const [management, observability] = [await answering(status), await answering(200)];
      const { code, errors, lines } = await checkOf(`${management.url}/base`, observability.url);
      expect([code, errors]).toEqual([0, '']);
      expect(lines).toEqual([
        'configuration: nothing is wrong',
        `management: ${management.url}/base answers, with status ${status}`,
        `observability: ${observability.url}/ answers, with status 200`,
      ]);
      expect(management.asked).toEqual(['GET /base undefined']);
      expect(observability.asked).toEqual(['GET / undefined']);
    },
  );

  it('follows no redirect, and says that it is one', async () => {
    const upstream = await answering(302);
    const { code, lines } = await checkOf(upstream.url, upstream.url);
    expect(code).toBe(0);
    expect(lines[1]).toBe(
      `management: ${upstream.url}/ answers, with status 302: a redirect, which is never followed; see whether the URL is right`,
    );
  });

  it('ends with 2 where an upstream refuses connections, and tries the other one all the same', async () => {
    const { url } = await answering(200);
    const { code, lines } = await checkOf('http://127.0.0.1:1', url);
    expect(code).toBe(2);
    expect(lines.slice(1)).toEqual([
      'management: http://127.0.0.1:1/ cannot be reached: nothing listens there (ECONNREFUSED)',
      `observability: ${url}/ answers, with status 200`,
    ]);
  });

  it('tells names that DNS does not know, and TLS where there is none', async () => {
    const { url } = await answering(200);
    const { code, lines } = await checkOf(
      'http://management.invalid',
      url.replace('http:', 'https:'),
    );
    expect(code).toBe(2);
    expect(lines[1]).toMatch(/cannot be reached: DNS does not .* \((ENOTFOUND|EAI_AGAIN)\)$/);
    expect(lines[2]).toMatch(/cannot be reached: TLS: it speaks something else \(E\w+\)$/);
  });

  it('tells an upstream that takes connections and does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = new URL(`http://127.0.0.1:${address.port}`);
    const { exitCode, lines } = await check({ managementUrl: url, observabilityUrl: url }, 100);
    expect(exitCode).toBe(2);
    expect(lines[1]).toMatch(/connected, but no answer in time \(UND_ERR_HEADERS_TIMEOUT\)$/);
  });

  it('ends with 1 where a setting is wrong, and asks nobody', async () => {
    const { url, asked } = await answering(200);
    const { code, text, errors } = await start(['--check'], {
      MANAGEMENT_URL: url,
      OBSERVABILITY_URL: url,
      MAX_COST: 'high',
    });
    expect([code, text, asked]).toEqual([1, '', []]);
    expect(errors).toMatch(/^Sluice cannot start:\n {2}MAX_COST must be .*\n$/);
  });
});
