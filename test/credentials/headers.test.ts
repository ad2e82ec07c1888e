import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AnswerError, json, result, stackInTest } from '../support/harness.ts';
import { useHostileStack } from '../support/hostile/stack.ts';
import { type HeaderLine, postBytes, type RawRequest, statusIn } from '../support/http/raw.ts';
import { withIds } from '../support/world/ids.ts';

type Upstream = 'management' | 'observability';
const upstreams = ['management', 'observability'] as const;

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

const running = useHostileStack();

/** Operations of both upstreams, and the bodies of their calls. */
const operations: Readonly<Record<string, readonly [document: string, string, string]>> = {
  read: [withIds('{ service(@service-1) { name } alerts { name } }'), '', ''],
  write: [
    withIds(`mutation { updateServiceScaling(input: {@service-1, numReplicas: 2}) { service { name } }
      createDashboard(input: {name: "n"}) { dashboard { name } } }`),
    ...(['{"numReplicas":2}', '{"name":"n"}'] as const),
  ],
  delete: [
    withIds(`mutation { updateServicePassword(input: {@service-1}) { password }
      deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId } }`),
    ...(['{}', ''] as const),
  ],
};
const [read = ''] = operations.read ?? [];

const own = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
};
const good = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer the-token' };
const credentials: readonly HeaderLine[] = upstreams.map((name) => [own[name], good[name]]);

/** Sends a request, whose calls both upstreams answer, and returns all bytes of its answer. */
const send = (request: Omit<RawRequest, 'document'> & Partial<RawRequest>): Promise<string> => {
  const { url } = running.answering((line) =>
    /^GET \S*alerts/.test(line) ? [] : { id: 'd', name: 'n', password: null },
  );
  return postBytes(url, { document: read, ...request });
};
const post = async (request: Parameters<typeof send>[0]) => statusIn(await send(request));

/** All headers of an upstream's calls, by name and value, sorted. */
const received = (upstream: Upstream): readonly (readonly string[])[] =>
  running()[upstream].calls.map(({ headers }) =>
    headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort(),
  );

const requestIds = /^x-request-id: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Expects one call with these headers and not one more; without a credential, none. */
const expectExactly = (
  upstream: Upstream,
  credential: string | null,
  body = '',
  more: readonly string[] = [],
): void => {
  const { calls, url } = running()[upstream];
  expect(calls.map((call) => call.body)).toEqual(credential === null ? [] : [body]);
  if (credential === null) return;
  const isNamed = more.some((line) => line.startsWith('x-request-id: '));
  const sized = [`content-length: ${Buffer.byteLength(body)}`, 'content-type: application/json'];
  const lines = [
    ...[`host: ${url.host}`, 'connection: keep-alive', 'accept: application/json'],
    ...[`user-agent: sluice/${version}`, `authorization: ${credential}`],
    ...[...(body === '' ? [] : sized), ...more],
  ];
  const [headers = []] = received(upstream);
  expect(headers.filter((line) => isNamed || !requestIds.test(line))).toEqual(lines.sort());
  expect(headers.filter((line) => line.startsWith('x-request-id: '))).toHaveLength(1);
};

const expectNoCalls = (): void => {
  for (const upstream of upstreams) expectExactly(upstream, null);
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

it.each<readonly [lines: readonly string[], management: string, observability: string]>([
  [['M: Basic a', 'O: Bearer b'], 'Basic a', 'Bearer b'],
  [['M: Basic a'], 'Basic a', 'absent'],
  [['A: Bearer b'], 'absent', 'Bearer b'],
  [['A: Basic a', 'O: Bearer b'], 'Basic a', 'Bearer b'],
  [['A: Basic x', 'M: Basic a'], 'Basic a', 'absent'],
  [['A: Bearer x', 'O: Bearer b'], 'absent', 'Bearer b'],
  // No plain header stands in for a refused one.
  [['A: Basic a', 'M: Bearer x'], 'refused', 'absent'],
  [['A: Bearer b', 'O: Basic x'], 'absent', 'refused'],
  [[], 'absent', 'absent'],
  [['A: Digest abc'], 'refused', 'refused'],
  [[`M: Basic ${visible}`], `Basic ${visible}`, 'absent'],
])('of the headers %j management gets %s, and observability %s', async (lines, ...expected) => {
  const bytes = await send({ headers: linesOf(...lines) });
  const body = JSON.parse(bytes.slice(bytes.indexOf('{'), bytes.lastIndexOf('}') + 1));
  expect(statusIn(bytes)).toBe(200);
  expect(bytes).not.toMatch(/www-authenticate/i);
  const errors: readonly AnswerError[] = body.errors ?? [];
  const told = upstreams.map((upstream, at) => {
    const error = errors.find(({ message }) => message.includes(`credential for ${upstream}`));
    expectExactly(upstream, error ? null : (expected[at] ?? ''));
    if (!error) return expected[at];
    expect(error.extensions.code).toBe('UNAUTHENTICATED');
    return error.message.includes('was refused') ? 'refused' : 'absent';
  });
  expect(told).toEqual(expected);
});

/** Values of the header of a credential, by its scheme and the other one, and what reaches the upstream. */
const taken = (scheme: string): readonly (readonly [value: string, reaches: string])[] => [
  [`${scheme.toLowerCase()} abc`, `${scheme} abc`],
  [`${scheme} abc,${scheme}`, `${scheme} abc,${scheme}`],
  [` \t ${scheme}   abc \t `, `${scheme} abc`],
  [`${scheme} abc%0d%0aX-Evil:%201`, `${scheme} abc%0d%0aX-Evil:%201`],
  [`${scheme} abc\r\nX-Evil: 1`, `${scheme} abc`],
  [`${scheme} `.padEnd(4096, 'x'), `${scheme} `.padEnd(4096, 'x')],
];
const refused = (scheme: string, other: string): readonly string[] => [
  ...[`${other} abc`, 'Digest username="a"', `${scheme}, abc`, `${scheme} abc, ${scheme} def`],
  ...[`${scheme} ${other} abc`, `${other} ${scheme} abc`, `${scheme}: abc`, `${scheme}=abc`],
  ...[`"${scheme}" abc`, `${scheme}\xa0abc`, '\xef\xbc\xa2asic abc', scheme, `${scheme}   `],
  ...['', '\t', 'a2V5OnNlY3JldA==', `${scheme}x abc`, `${scheme} abc def`, `${scheme}\tabc`],
  ...[`${scheme} \tabc`, `${scheme} abc\xe9`, `${scheme} \xff\xfe`, `${scheme} abc\x85`],
  ...[`${scheme} abc\xc4\x8d\xc4\x8aX-Evil:1`, `${scheme} `.padEnd(4097, 'x')],
];
const repeated = (scheme: string, other: string): readonly (readonly string[])[] => [
  ...[
    [`${scheme} abc`, `${scheme} def`],
    [`${scheme} abc`, `${scheme} abc`],
  ],
  ...[
    ['', `${scheme} abc`],
    [`${scheme} abc`, ''],
    [`${scheme} abc`, `${other} def`],
  ],
];
/** Node may refuse these before the gateway sees them. */
const noHttp = (scheme: string): readonly string[] => [
  ...[`${scheme} a\x0bc`, `${scheme} abc\x00`, `\x00${scheme} abc`, `${scheme} abc\x7f`],
  ...[`${scheme} abc\r\n def`, `${scheme} abc\rX-Evil: 1`, `${scheme} abc\nX-Evil: 1`],
  `${scheme} abc\r\n\r\nGET /evil HTTP/1.1\r\nHost: x`,
];

describe.each([
  ['management', 'observability', 'Basic', 'Bearer'],
  ['observability', 'management', 'Bearer', 'Basic'],
] as const)('a credential for %s', (upstream, other, scheme, otherScheme) => {
  /**
   * Sends values in its own header, and then in the plain one, beside a good credential for the other upstream. Expects of
   * each request the call with that credential, and one with what reaches this upstream, if anything does.
   */
  const expectReaches = async (
    values: readonly string[],
    reaches: string | null,
    isHttp = true,
  ) => {
    for (const name of [own[upstream], 'Authorization']) {
      const lines = values.map((value): HeaderLine => [name, value]);
      const status = await post({ headers: [[own[other], good[other]], ...lines] });
      expect(isHttp ? [200] : [200, 400]).toContain(status);
      expectExactly(upstream, reaches);
      expectExactly(other, status === 200 ? good[other] : null);
    }
  };

  it.each(taken(scheme))('a credential %j reaches its upstream as %j', async (value, reaches) => {
    await expectReaches([value], reaches);
  });

  const none = [
    ...refused(scheme, otherScheme).map((value) => [value]),
    ...repeated(scheme, otherScheme),
  ];
  it.each(none.map((values) => [values]))('a credential %j reaches nobody', async (values) => {
    await expectReaches(values, null);
  });

  it.each(noHttp(scheme))('a credential %j reaches nobody, or is no HTTP', async (value) => {
    await expectReaches([value], null, false);
  });

  it.each([
    [`${own[upstream].replaceAll('-', '_')}_`, `${scheme} abc`, 200],
    [`${own[upstream]} `, `${scheme} abc`, 400],
    [own[upstream], `${scheme} `.padEnd(20_480, 'x'), 431],
  ])('a credential in a header %j reaches nobody', async (name, value, expected) => {
    expect(await post({ headers: [[name, value]] })).toBe(expected);
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

/** What a request may have besides its credentials and its document. */
type Rest = readonly [lines: readonly string[], request: Partial<RawRequest>];

describe.each(Object.entries(operations))('of a %s', (_kind, [document, ...bodies]) => {
  const expectBoth = (more: readonly string[] = []): void => {
    for (const [at, upstream] of upstreams.entries()) {
      expectExactly(upstream, good[upstream], bodies[at], more);
    }
  };
  const sendWith = (lines: readonly string[], request?: Partial<RawRequest>): Promise<number> =>
    post({ document, headers: [...credentials, ...linesOf(...lines)], ...request });
  const trailers = linesOf('M: Basic x', 'X-Request-Id: x');

  it.each<Rest>([
    [foreign, {}],
    [['Trailer: X-Request-Id'], { trailers }],
    [[], { host: 'evil.example' }],
    [['X-Request-Id: one', 'X-Request-Id: two'], {}],
    [['Expect: 100-continue'], {}],
  ])('nothing but the allow-list is passed on: %j %j', async (lines, request) => {
    expect(await sendWith(lines, request)).toBe(200);
    expectBoth();
  });

  it('the trace context and the id are passed on', async () => {
    const more = [`traceparent: ${parent}`, `tracestate: ${state}`, 'x-request-id: request-7'];
    expect(await sendWith(['Connection: traceparent', ...more])).toBe(200);
    expectBoth(more);
  });

  it.each<Rest>([
    [['Transfer-Encoding: chunked'], {}],
    [['Content-Length: 3'], {}],
    [['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMA'], {}],
    [['Host: evil.example'], {}],
    [[], { target: 'http://evil.example/graphql' }],
    [['Expect: evil'], {}],
  ])('nothing else is, or the request is refused: %j %j', async (lines, request) => {
    const status = await sendWith(lines, request);
    if (status === 200) return expectBoth();
    expect(Math.floor(status / 100)).toBe(4);
    expectNoCalls();
  });
});

const traced = `traceparent: ${parent}`;
const malformed = [
  ...[parent.toUpperCase(), parent.replace('9c-', '-'), `${parent}-extra`, 'anything'],
  ...[`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `${parent.slice(0, 36)}${'0'.repeat(16)}-01`],
  `ff${parent.slice(2)}`,
];

it.each<readonly [lines: readonly string[], passed: number]>([
  [[traced], 1],
  [[traced, `tracestate: ${state}`], 2],
  [[traced, 'tracestate: a=\xe9'], 1],
  [[`tracestate: ${state}`], 0],
  [['traceparent: x', `tracestate: ${state}`], 0],
  [[traced, traced], 0],
  ...malformed.map((value) => [[`traceparent: ${value}`], 0] as const),
])('of the trace %j the first %i are passed on', async (lines, passed) => {
  expect(await post({ headers: [...credentials, ...linesOf(...lines)] })).toBe(200);
  for (const upstream of upstreams) {
    const headers = running()[upstream].calls.flatMap((call) => call.headers);
    expect(headers.filter(([name]) => /^trace/i.test(name))).toEqual(
      linesOf(...lines.slice(0, passed)),
    );
  }
});

const kept = ['6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11', 'Run_7.step-2', 'a'.repeat(128)];
const replaced = ['a b', 'a"b', 'a%0ab', 'a\xe9b', 'a'.repeat(129), ''];

it.each([
  ...kept.map((value) => [value, true] as const),
  ...replaced.map((value) => [value, false] as const),
])('an x-request-id of %j is passed on and answered: %j', async (value, isKept) => {
  const head = await send({ headers: [...credentials, ['X-Request-Id', value]] });
  const [first = '', ...others] = upstreams.flatMap((name) =>
    received(name).flatMap((headers) => headers.filter((line) => line.startsWith('x-request-id'))),
  );
  if (isKept) expect(first).toBe(`x-request-id: ${value}`);
  else expect(first).toMatch(requestIds);
  expect(others).toEqual([first]);
  expect(head.toLowerCase()).toContain(first.toLowerCase());
});

it('a caller who spells one credential in several ways has no more connections than another', async () => {
  const other = { 'management-authorization': 'Basic b3RoZXI6b3RoZXI=' };
  const stack = await stackInTest({
    management: ({ headers }) =>
      headers.authorization === other['management-authorization']
        ? result({ name: 'well', id: 'o' })
        : new Promise(() => undefined),
    observability: () => json({}, 500),
  });
  const ask = (number: number, headers: Readonly<Record<string, string>>) =>
    stack.query(withIds(`{ organization(organizationId: "organization-${number}") { name } }`), {
      headers,
    });
  const spellings = ['Basic a2V5Oj8/Pz8=', 'basic a2V5Oj8/Pz8=', 'Basic  a2V5Oj8/Pz8='].concat([
    'Basic a2V5Oj8/Pz8',
    'Basic a2V5Oj8_Pz8=',
    'Basic a2V5Oj8_Pz8',
  ]);
  // The gateway closes with most of these unanswered.
  for (let number = 0; number < 20; number += 1) {
    for (const spelling of spellings) {
      void ask(number, { 'management-authorization': spelling }).catch(() => undefined);
    }
  }
  await expect.poll(() => stack.calls.length).toBe(16);
  expect((await ask(0, other)).body).toEqual({ data: { organization: { name: 'well' } } });
  expect(stack.calls).toHaveLength(17);
});
