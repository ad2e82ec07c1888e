import { afterEach, describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import {
  data,
  result,
  type Stack,
  startStack,
  unpaced,
  unpacedEnvironment,
} from '../support/harness.ts';
import { failures } from '../support/hostile/failures.ts';
import type { FailingUpstream } from '../support/hostile/replying.ts';
import { refused } from '../support/hostile/requests.ts';
import {
  basic,
  bearer,
  findLeaks,
  plainOperations,
  secretWrites,
  serviceIds,
} from '../support/hostile/secret-operations.ts';
import { type HeaderLine, postBytes, statusIn } from '../support/http/raw.ts';
import { run, until } from '../support/process/run-main.ts';
import { isLong, sampleOf } from '../support/random/runs.ts';

const {
  managementUrl: _m,
  observabilityUrl: _o,
  ...production
} = readConfig({
  NODE_ENV: 'production',
  INTROSPECTION: 'off',
  GRAPHIQL: 'off',
  MANAGEMENT_URL: 'http://unused.invalid',
  OBSERVABILITY_URL: 'http://unused.invalid',
});

const credentials = { 'management-authorization': basic, 'observability-authorization': bearer };

let stack: Stack;
afterEach(() => stack.close());

const start = async (config: Partial<Config> = {}): Promise<void> => {
  stack = await startStack({
    management: () => result([]),
    observability: () => data([]),
    config: { ...production, ...unpaced, ...config },
  });
};

interface Published {
  readonly status: number;
  /** Status line, headers and body: all that leaves toward the caller. */
  readonly text: string;
  readonly body: string;
}

const publish = async (url: string, init: RequestInit): Promise<Published> => {
  const response = await fetch(url, init);
  const { status, statusText, headers } = response;
  const body = await response.text();
  const lines = [...headers].map((header) => header.join(': '));
  return { status, body, text: [`${status} ${statusText}`, ...lines, body].join('\n') };
};

const ask = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Published> =>
  publish(stack.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sluice-explain': '1',
      ...credentials,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const responseTypes = [
  ['application/json', '*/*'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
] as const;

const codesOf = (body: string): readonly string[] =>
  (JSON.parse(body).errors ?? []).map(
    (error: { extensions: { code: string } }) => error.extensions.code,
  );

/** Reads of every kind that fields with odd values are completed in. */
const read = {
  document: `query ($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) { name createdAt numReplicas
      pipes { name state createdAt source { __typename } settings { engineMaxThreads } } }
    alerts { name state threshold createdAt silenced channel { type } dashboard { name } }
    dashboards { name tags tiles { name x } }
  }`,
  variables: serviceIds,
};
const operations = [
  read,
  ...plainOperations,
  // An upstream may quote a URL that the caller gave himself.
  ...secretWrites
    .filter(({ variables }) => !JSON.stringify(variables).includes('registry.example'))
    .slice(0, 5),
];

describe.each(responseTypes)(
  'a failing upstream reveals nothing in an answer as %s:',
  (_, accept) => {
    let upstream: FailingUpstream | undefined;
    afterEach(() => upstream?.close());

    it('in twenty ways and more', async () => {
      await start();
      expect(failures.length).toBeGreaterThanOrEqual(20);
    });

    it.each(sampleOf(failures, 8))(
      '$title',
      async ({ start: startFailing, code, operationTimeoutMs }) => {
        upstream = await startFailing();
        const { url } = upstream;
        await start({
          managementUrl: url,
          observabilityUrl: url,
          ...(operationTimeoutMs !== undefined && {
            operationTimeoutMs,
            writeTimeoutMs: operationTimeoutMs,
          }),
        });
        const [first, ...others] = operations;
        const send = ({ document, variables }: typeof read | (typeof plainOperations)[number]) =>
          ask({ query: document, variables }, { accept });
        // Alone, or the failures of the others could have opened the breaker before.
        const answers = [await send(first ?? read), ...(await Promise.all(others.map(send)))];
        const codes = codesOf(answers[0]?.body ?? '');
        expect(codes.length).toBeGreaterThan(0);
        for (const each of codes) expect(each).toMatch(code);
        for (const { text } of answers) expect(findLeaks(text, [url])).toEqual([]);
        expect(findLeaks(stack.log(), [url])).toEqual([]);
      },
    );
  },
);

describe.each(responseTypes)(
  'a refused request reveals nothing in an answer as %s:',
  (_, accept) => {
    it.each(refused)('$title', async ({ body, headers, hints = [] }) => {
      await start();
      const { status, text } = await ask(body, { accept, ...headers });
      expect(status).toBeLessThan(500);
      const upstreams = stack.calls.map(({ headers: { host } }) => new URL(`http://${host}`));
      expect(upstreams).toEqual([]);
      expect(findLeaks(`${text}\n${stack.log()}`, [])).toEqual([]);
      for (const hint of hints) expect(text.replaceAll('\\"', '"')).not.toContain(hint);
    });
  },
);

describe('a request that is no operation reveals nothing:', () => {
  it.each<readonly [title: string, path: string, init: RequestInit]>([
    ['another path', '/cnry', {}],
    ['a path with dots', '/graphql/%2e%2e/cnry', { method: 'POST', body: '{}' }],
    ['a path that cannot be decoded', '/%zz%', {}],
    ['another method', '/graphql', { method: 'PUT', body: '{"query":"{ __typename }"}' }],
    ['no document', '/graphql', {}],
    ['GraphiQL', '/graphql', { headers: { accept: 'text/html' } }],
    ['a bad document', '/graphql?query=%7Bcnry(a%3A"cnry")', {}],
    ['bad variables', '/graphql?query=%7B__typename%7D&variables=cnry', {}],
    ['a mutation by GET', '/graphql?query=mutation%7BcreatePip(input%3A"cnry")%7Bx%7D%7D', {}],
  ])('%s', async (_, path, init) => {
    await start();
    const { status, text } = await publish(new URL(path, stack.url).href, init);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
    expect(findLeaks(`${text}\n${stack.log()}`, [])).toEqual([]);
    expect(stack.calls).toEqual([]);
  });

  const cases: readonly (readonly [title: string, request: { host?: string; target?: string }])[] =
    [
      ['a host with a blank', { host: 'cn ry' }],
      ['a host that is no address', { host: '[::cnry' }],
      ['a host with a port too large', { host: 'cnry:99999' }],
      ['a host with a port that is none', { host: 'gateway:cnry' }],
      ['a host that is a sign', { host: '@' }],
      ['bytes outside ASCII in the host', { host: '\xff\xfe' }],
      ['a whole URL as the target', { target: 'http://cnry/graphql' }],
      ['a broken URL as the target', { target: 'http://[cnry/graphql' }],
      ['a host in the target', { target: '//cnry:99999/graphql' }],
      ['an asterisk', { target: '*' }],
    ];
  const acceptances: readonly (readonly [title: string, headers: readonly HeaderLine[]])[] = [
    ['application/json', []],
    ['application/graphql-response+json', [['Accept', 'application/graphql-response+json']]],
  ];
  describe.each(acceptances)('answered as %s', (_, headers) => {
    it.each(cases)('%s', async (_title, request) => {
      await start();
      const bytes = await postBytes(stack.url, {
        document: '{ __typename }',
        headers,
        ...request,
      });
      expect(findLeaks(`${bytes}\n${stack.log()}`, [])).toEqual([]);
      expect(statusIn(bytes)).toBeLessThan(500);
    });
  });

  it('two hosts', async () => {
    await start();
    for (const [, headers] of acceptances) {
      const bytes = await postBytes(stack.url, {
        document: '{ __typename }',
        headers: [...headers, ['Host', 'cnry']],
      });
      expect(findLeaks(`${bytes}\n${stack.log()}`, [])).toEqual([]);
      expect(statusIn(bytes)).toBeLessThan(500);
    }
  });
});

it.runIf(isLong)('a gateway in production reveals nothing on its outputs', async () => {
  await start();
  const failing = failures.find(({ title }) => title === '500 with JSON that quotes the request');
  const upstream = await failing?.start();
  if (!upstream) throw new Error('no such failure');
  const gateway = run({
    INTROSPECTION: 'off',
    GRAPHIQL: 'off',
    MANAGEMENT_URL: upstream.url.href,
    OBSERVABILITY_URL: 'http://does-not-exist.invalid:45678',
    PORT: '0',
    ...unpacedEnvironment,
  });
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;
  const headers = { 'content-type': 'application/json', 'sluice-explain': '1', ...credentials };
  const texts: string[] = [];
  for (const { document, variables } of operations) {
    const body = JSON.stringify({ query: document, variables });
    texts.push((await publish(url, { method: 'POST', headers, body })).text);
  }
  for (const { body } of refused) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    texts.push((await publish(url, init)).text);
  }
  await until(() => gateway.lines('upstream call failed').length > 0);
  gateway.signalGroup('SIGTERM');
  const { text, errors } = await gateway.ended;
  await upstream.close();
  const urls = [upstream.url, new URL('http://does-not-exist.invalid:45678')];
  for (const answer of texts) expect(findLeaks(answer, urls)).toEqual([]);
  // Where it listens itself is what its operator has asked for.
  const lines = text.split('\n').filter((line) => !line.includes('"msg":"listening"'));
  expect(lines.length).toBeGreaterThan(10);
  expect(findLeaks(lines.join('\n'), urls)).toEqual([]);
  expect(errors).toBe('');
});
