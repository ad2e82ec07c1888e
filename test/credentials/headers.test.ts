import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnswerError, data, json, startStack } from '../support/harness.ts';
import { useHostileStack } from '../support/hostile/stack.ts';
import {
  type HeaderLine,
  postBytes,
  postRaw,
  type RawRequest,
  statusIn,
} from '../support/http/raw.ts';

type Upstream = 'management' | 'observability';
const upstreams = ['management', 'observability'] as const;

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

const running = useHostileStack();

const ids =
  'organizationId: "0a9a0000-0000-4000-8000-000000000001", serviceId: "5e4c0000-0000-4000-8000-000000000001"';
/** Operations of both upstreams, and the bodies of their calls. */
const operations = {
  read: [`{ service(${ids}) { name } alerts { name } }`, '', ''],
  write: [
    `mutation { updateServiceScaling(input: {${ids}, numReplicas: 2}) { service { name } }
      createDashboard(input: {name: "n"}) { dashboard { name } } }`,
    ...['{"numReplicas":2}', '{"name":"n"}'],
  ],
  delete: [
    `mutation { updateServicePassword(input: {${ids}}) { password }
      deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId } }`,
    ...['{}', ''],
  ],
} as const;
const [read] = operations.read;

const own = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
};
const good = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer the-token' };
const credentials: readonly HeaderLine[] = upstreams.map((name) => [own[name], good[name]]);

/** Both upstreams answer whatever they are asked from now on. */
const answer = () =>
  running.answering((line) =>
    /^GET \S*alerts/.test(line) ? [] : { id: 'd', name: 'n', password: null },
  );

const post = async (
  request: Omit<RawRequest, 'document'> & Partial<RawRequest>,
): Promise<number> => {
  answer();
  return statusIn(await postBytes(running().stack.url, { document: read, ...request }));
};

/** All headers of an upstream's calls, by name and value, sorted. */
const received = (upstream: Upstream): readonly (readonly string[])[] =>
  running()[upstream].calls.map(({ headers }) =>
    headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort(),
  );

const requestIds = /^x-request-id: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Expects one call with these headers and not one more. */
const expectExactly = (
  upstream: Upstream,
  credential: string,
  body = '',
  more: readonly string[] = [],
): void => {
  const { calls, url } = running()[upstream];
  expect(calls.map((call) => call.body)).toEqual([body]);
  const isNamed = more.some((line) => line.startsWith('x-request-id: '));
  const sized = [`content-length: ${Buffer.byteLength(body)}`, 'content-type: application/json'];
  const lines = [
    `host: ${url.host}`,
    ...['connection: keep-alive', 'accept: application/json', `user-agent: sluice/${version}`],
    ...[`authorization: ${credential}`, ...(body === '' ? [] : sized), ...more],
  ];
  const [headers = []] = received(upstream);
  expect(headers.filter((line) => isNamed || !requestIds.test(line))).toEqual(lines.sort());
  expect(headers.filter((line) => line.startsWith('x-request-id: '))).toHaveLength(1);
};

const expectNoCalls = (): void => {
  for (const upstream of upstreams) expect(running()[upstream].calls).toEqual([]);
};

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const state = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
const short = new Map([
  ['M', own.management],
  ['O', own.observability],
  ['A', 'Authorization'],
]);

/** Header lines of texts `Name: value`, where M, O and A stand for the headers of credentials. */
const linesOf = (...texts: readonly string[]): readonly HeaderLine[] =>
  texts.map((text): HeaderLine => {
    const [name = ''] = text.split(': ', 1);
    return [short.get(name) ?? name, text.slice(name.length + 2)];
  });

const visible = '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~';

it.each<
  [
    title: string,
    lines: readonly string[],
    management?: string | null,
    observability?: string | null,
  ]
>([
  ['each from the header of its own', ['M: Basic a', 'O: Bearer b'], 'Basic a', 'Bearer b'],
  ['one alone', ['M: Basic a'], 'Basic a'],
  ['Basic in the plain header, to management only', ['A: Basic a'], 'Basic a'],
  ['Bearer in the plain header, to observability only', ['A: Bearer b'], null, 'Bearer b'],
  ['plain Basic beside its own Bearer', ['A: Basic a', 'O: Bearer b'], 'Basic a', 'Bearer b'],
  ['plain Bearer beside its own Basic', ['A: Bearer b', 'M: Basic a'], 'Basic a', 'Bearer b'],
  ['its own header before plain Basic', ['A: Basic x', 'M: Basic a'], 'Basic a'],
  ['its own header before plain Bearer', ['A: Bearer x', 'O: Bearer b'], null, 'Bearer b'],
  ['no plain Basic in place of a refused header', ['A: Basic a', 'M: Bearer x']],
  ['no plain Bearer in place of a refused header', ['A: Bearer b', 'O: Basic x']],
  ['nothing where nothing came', []],
  ['nothing for a plain scheme of neither', ['A: Digest abc']],
  ['every visible ASCII character', [`M: Basic ${visible}`], `Basic ${visible}`],
])(
  'credentials reach their upstreams: %s',
  async (_, lines, management = null, observability = null) => {
    answer();
    const { status, head, body } = await postRaw(running().stack.url, read, linesOf(...lines));
    expect(status).toBe(200);
    expect(head).not.toContain('www-authenticate');
    const expected = { observability, management };
    for (const upstream of upstreams) {
      const credential = expected[upstream];
      if (credential === null) expect(running()[upstream].calls).toEqual([]);
      else expectExactly(upstream, credential);
    }
    const errors: readonly AnswerError[] = body.errors ?? [];
    const refused = errors.map(({ path, extensions }) => `${path[0]} ${extensions.code}`).sort();
    const missing = [...(observability ? [] : ['alerts']), ...(management ? [] : ['service'])];
    expect(refused).toEqual(missing.map((field) => `${field} UNAUTHENTICATED`));
  },
);

/** Values of a credential's header, with S for its scheme, O for the other one and a length in braces for that many bytes, and what reaches the upstream. */
const taken: readonly (readonly [value: string, reaches: string])[] = [
  ['{s} abc', 'S abc'],
  ['{S} abc', 'S abc'],
  ['S abc,S', 'S abc,S'],
  ['S   abc', 'S abc'],
  [' \t S abc \t ', 'S abc'],
  ['S abc%0d%0aX-Evil:%201', 'S abc%0d%0aX-Evil:%201'],
  ['S abc\r\nX-Evil: 1', 'S abc'],
  ['{4095}', '{4095}'],
  ['{4096}', '{4096}'],
];
const refused: readonly (readonly string[])[] = [
  ...'O abc|Digest username="a"|Negotiate abc|S, abc|S abc, S def|S O abc|O S abc'.split('|'),
  ...'S abc, O def|S: abc|S=abc|"S abc"|S\xa0abc|\xef\xbc\xa2asic abc|S|S   ||   |\t'.split('|'),
  ...'a2V5OnNlY3JldA==|Sx abc|S abc def|S\tabc|S \tabc|S abc\tdef|S abc\xe9|S \xff\xfe'.split('|'),
  ...'S abc\xc3\xa9|S abc\xa0|S abc\xc4\x8d\xc4\x8aX-Evil:1|S abc\x85|{4097}|{8192}'.split('|'),
].map((value) => [value]);
const repeated = 'S abc|S def;S abc|S abc;|S abc;S abc|;S abc|S def|S ghi;S abc|O def'
  .split(';')
  .map((values) => values.split('|'));
/** Node may refuse these before the gateway sees them. */
const noHttp = [
  ...['S a\x0bc', 'S abc\x00', '\x00S abc', 'S abc\x08', 'S abc\x1b', 'S abc\x7f', 'S abc\r\n def'],
  ...['S abc\rX-Evil: 1', 'S abc\nX-Evil: 1', 'S abc\r\n\r\nGET /evil HTTP/1.1\r\nHost: x'],
];

describe.each(upstreams)('a credential for %s', (upstream) => {
  const [other, scheme, otherScheme] =
    upstream === 'management'
      ? (['observability', 'Basic', 'Bearer'] as const)
      : (['management', 'Bearer', 'Basic'] as const);
  const written = (template: string): string =>
    template
      .replace(/^\{(\d+)\}$/, (_, length: string) => `${scheme} `.padEnd(Number(length), 'x'))
      .replaceAll('{s}', scheme.toLowerCase())
      .replaceAll('{S}', scheme.toUpperCase())
      .replaceAll(/\bS(?=\W|$|x )/g, scheme)
      .replaceAll(/\bO\b/g, otherScheme);
  /** Its values in its own header, and then in the plain one, beside a good credential for the other upstream. */
  const each = async (
    values: readonly string[],
    check: (status: number) => void,
  ): Promise<void> => {
    for (const name of [own[upstream], 'Authorization']) {
      const lines = values.map((value): HeaderLine => [name, written(value)]);
      check(await post({ headers: [[own[other], good[other]], ...lines] }));
    }
  };

  it.each(taken)('%j reaches it as %j', async (value, reaches) => {
    await each([value], (status) => {
      expect(status).toBe(200);
      expectExactly(upstream, written(reaches));
      expectExactly(other, good[other]);
    });
  });

  it.each([...refused, ...repeated].map((values) => ({ values })))(
    '$values reaches nobody',
    async ({ values }) => {
      await each(values, (status) => {
        expect(status).toBe(200);
        expect(running()[upstream].calls).toEqual([]);
        expectExactly(other, good[other]);
      });
    },
  );

  it.each(noHttp)('%j reaches nobody, or is no HTTP', async (value) => {
    await each([value], (status) => {
      expect([200, 400]).toContain(status);
      expect(running()[upstream].calls).toEqual([]);
      if (status === 400) expectNoCalls();
    });
  });

  it.each([
    [`${own[upstream].replaceAll('-', '_')}_`, 'S abc', 200],
    [`${own[upstream]} `, 'S abc', 400],
    [own[upstream], '{20480}', 431],
  ])('in a header %j reaches nobody', async (name, value, expected) => {
    expect(await post({ headers: [[name, written(value)]] })).toBe(expected);
    expectNoCalls();
  });
});

/** Headers that are none of the upstreams' business. */
const foreign = [
  ...['Connection: authorization', 'Connection: keep-alive, Management-Authorization'],
  'Connection: accept, user-agent, x-request-id, content-type, content-length, host',
  ...['TE: trailers, deflate;q=0.5', 'Cookie: session=abc; evil=1', 'Set-Cookie: evil=1'],
  ...['Keep-Alive: timeout=600, max=1000', 'Forwarded: for=127.0.0.1;host=evil.example'],
  ...['Accept-Encoding: gzip, br, zstd, deflate', 'Accept-Charset: utf-16', 'Max-Forwards: 0'],
  ...['X-HTTP-Method-Override: DELETE', 'Range: bytes=0-1', 'If-None-Match: *', 'Pragma: no-cache'],
  ...['Authorization: Basic ZXZpbDpldmls', 'Origin: null', 'X-Request-Id: one%0d%0aX-Evil: 1'],
  ...'Proxy Proxy-Authorization Proxy-Connection Via True-Client-IP X-Real-IP X-Original-URL'
    .concat(' X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-User')
    .concat(' X-Forwarded-Client-Cert Accept-Language If-Modified-Since X-Api-Key Server From')
    .concat(' X-Amz-Security-Token WWW-Authenticate User-Agent Referer __proto__ constructor')
    .concat(' toString Baggage B3 X-B3-TraceId X-Correlation-Id')
    .split(' ')
    .map((name) => `${name}: evil`),
];

describe.each(['read', 'write', 'delete'] as const)(
  'the upstreams of a %s see nothing but the allow-list',
  (kind) => {
    const [document, ...bodies] = operations[kind];
    const expectBoth = (more: readonly string[] = []): void => {
      for (const [at, upstream] of upstreams.entries())
        expectExactly(upstream, good[upstream], bodies[at], more);
    };

    it.each<[title: string, lines: readonly string[], request?: Partial<RawRequest>]>([
      ['of many headers', foreign],
      [
        'of headers in the trailers',
        ['Trailer: X-Request-Id'],
        { trailers: linesOf('M: Basic x', 'X-Request-Id: x') },
      ],
      ['of a body in chunks', [], { trailers: [] }],
      ['of another Host', [], { host: 'evil.example' }],
      ['of two ids of the request', ['X-Request-Id: one', 'X-Request-Id: two']],
      ['of an expectation', ['Expect: 100-continue']],
    ])('%s', async (_, lines, request) => {
      const headers = [...credentials, ...linesOf(...lines)];
      expect(await post({ document, headers, ...request })).toBe(200);
      expectBoth();
    });

    it('and the trace context and a request’s id', async () => {
      const more = [`traceparent: ${parent}`, `tracestate: ${state}`, 'x-request-id: request-7'];
      const headers = [...credentials, ...linesOf('Connection: traceparent', ...more)];
      expect(await post({ document, headers })).toBe(200);
      expectBoth(more);
    });

    it.each<[title: string, lines: readonly string[], request?: Partial<RawRequest>]>([
      ['a body of two framings', ['Transfer-Encoding: chunked']],
      ['a second length', ['Content-Length: 3']],
      ['an unknown framing', ['Transfer-Encoding: gzip']],
      ['an upgrade to a web socket', ['Connection: Upgrade', 'Upgrade: websocket']],
      [
        'an upgrade to HTTP/2',
        ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMA'],
      ],
      ['a second Host', ['Host: evil.example']],
      ['a whole URL as the target', [], { target: 'http://evil.example/graphql' }],
      ['another expectation', ['Expect: evil']],
    ])('or the request is refused: %s', async (_, lines, request) => {
      const headers = [...credentials, ...linesOf(...lines)];
      const status = await post({ document, headers, ...request });
      if (status === 200) expectBoth();
      else {
        expect(Math.floor(status / 100)).toBe(4);
        expectNoCalls();
      }
    });
  },
);

/** What of these headers each upstream gets of a request with these lines. */
const passedOn = async (lines: readonly string[], ...names: readonly string[]) => {
  expect(await post({ headers: [...credentials, ...linesOf(...lines)] })).toBe(200);
  return upstreams.map((upstream) =>
    running()[upstream].calls[0]?.headers.filter(([name]) => names.includes(name)),
  );
};

const traced = `traceparent: ${parent}`;
/** A state of two members that has 6 bytes beside its values. */
const stateOf = (length: number): string =>
  `tracestate: a=${'x'.repeat(254)},b=${'x'.repeat(length)}`;
const malformed = [
  ...[parent.toUpperCase(), parent.replace('9c-', '-'), `${parent}-extra`, 'anything'],
  ...[`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `${parent.slice(0, 36)}${'0'.repeat(16)}-01`],
  `ff${parent.slice(2)}`,
];

it.each<[title: string, lines: readonly string[], passed: number]>([
  ['traceparent alone', [traced], 1],
  ['traceparent and tracestate', [traced, `tracestate: ${state}`], 2],
  ['a tracestate of 512 bytes', [traced, stateOf(253)], 2],
  ['no tracestate of 513 bytes', [traced, stateOf(254)], 1],
  ['no tracestate of 33 members', [traced, `tracestate: ${'a=1,'.repeat(32)}a=1`], 1],
  ['no tracestate with bytes outside ASCII', [traced, 'tracestate: a=\xe9'], 1],
  ['no tracestate that is no list', [traced, 'tracestate: no members here'], 1],
  ['no tracestate without traceparent', [`tracestate: ${state}`], 0],
  ['no tracestate beside a malformed traceparent', ['traceparent: x', `tracestate: ${state}`], 0],
  ['no two traceparents', [traced, traced], 0],
  ...malformed.map((value): [string, string[], number] => [
    `no ${value}`,
    [`traceparent: ${value}`],
    0,
  ]),
])('of a trace is passed on: %s', async (_, lines, passed) => {
  const expected = linesOf(...lines.slice(0, passed));
  expect(await passedOn(lines, 'traceparent', 'tracestate')).toEqual([expected, expected]);
});

it.each([
  ['6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11', true],
  ['Run_7.step-2', true],
  ['a'.repeat(128), true],
  ['a b', false],
  ['a"b', false],
  ['a%0ab', false],
  ['a\xe9b', false],
  ['a'.repeat(129), false],
  ['', false],
])('an x-request-id of %j is passed on and answered: %j', async (value, isKept) => {
  answer();
  const lines: readonly HeaderLine[] = [...credentials, ['X-Request-Id', value]];
  const { head } = await postRaw(running().stack.url, read, lines);
  const [[first = ''] = [], [second] = []] = upstreams.map((name) =>
    received(name).flatMap((headers) => headers.filter((line) => line.startsWith('x-request-id'))),
  );
  if (isKept) expect(first).toBe(`x-request-id: ${value}`);
  else expect(first).toMatch(requestIds);
  expect(second).toBe(first);
  expect(head).toContain(first.toLowerCase());
});

it('a request without an id gets one of its own', async () => {
  const [first] = await passedOn([], 'x-request-id');
  const [second] = await passedOn([], 'x-request-id');
  expect(first).not.toEqual(second);
});

it('the answer never holds WWW-Authenticate, not even when both upstreams send it', async () => {
  const headers = { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' };
  const challenge = () => ({ ...json({ status: 401, error: 'no', message: 'no' }, 401), headers });
  const stack = await startStack({ management: challenge, observability: challenge });
  onTestFinished(() => stack.close());
  const answered = await stack.query(read);
  expect(answered.status).toBe(200);
  expect(answered.headers.get('www-authenticate')).toBeNull();
  const codes = answered.body.errors.map(({ extensions }: AnswerError) => extensions.code);
  expect(codes).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
});

describe('a caller who spells one credential in several ways', () => {
  const spellings = ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ', 'Bearer   ', 'bearer  '];
  /** A gateway whose observability upstream answers one token so, however the header spells it. */
  const start = async (provoked: () => ReturnType<typeof json> | Promise<never>) => {
    const stack = await startStack({
      management: () => json({}, 500),
      observability: ({ headers }) =>
        headers.authorization?.includes('provoker')
          ? provoked()
          : data([{ name: 'well', id: 'a' }]),
    });
    onTestFinished(() => stack.close());
    const ask = (credential: string, document = '{ alerts { name } }') =>
      stack.query(document, { headers: { 'observability-authorization': credential } });
    return { stack, ask };
  };
  const well = { data: { alerts: [{ name: 'well' }] } };

  it('does not open the breaker for others', async () => {
    const { ask } = await start(() => json({ message: 'no' }, 504));
    for (const spelling of [...spellings, ...spellings]) await ask(`${spelling}provoker`);
    expect((await ask('Bearer other')).body).toEqual(well);
  });

  it('has no more connections than one who does not', async () => {
    const { stack, ask } = await start(() => new Promise(() => undefined));
    // The gateway closes with most of these unanswered.
    for (let at = 0; at < 20; at += 1) {
      for (const spelling of spellings) {
        void ask(`${spelling}provoker`, `{ alert(id: "a${at}") { name } }`).catch(() => undefined);
      }
    }
    await expect.poll(() => stack.calls.length).toBe(16);
    expect((await ask('Bearer other')).body).toEqual(well);
    expect(stack.calls).toHaveLength(17);
  });
});
