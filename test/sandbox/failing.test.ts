import { describe, expect, it } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { credentials, open, organization } from '../support/sandbox/harness.ts';

const { management: keys, observability: tokens } = credentials.failing;

const alerts = '/api/v2/alerts';

describe('a credential that fails on purpose', () => {
  it('has an obvious name, as key id, as secret and as token', () => {
    const names: Readonly<Record<Fault, string>> = {
      tooManyRequests: 'demo-429',
      serverError: 'demo-500',
      unavailable: 'demo-503',
      proxyTimeout: 'demo-524',
      slow: 'demo-slow',
      html: 'demo-html',
      cut: 'demo-cut',
    };
    for (const [fault, name] of Object.entries(names) as [Fault, string][]) {
      const { keyId, keySecret, header } = keys[fault];
      expect([keyId, keySecret, header]).toEqual([name, name, `Basic ${btoa(`${name}:${name}`)}`]);
      expect(tokens[fault]).toEqual({ token: name, header: `Bearer ${name}` });
    }
  });

  it('is a 401 like any other with a wrong secret', async () => {
    const { management } = await open();
    const header = `Basic ${btoa('demo-500:wrong')}`;
    expect((await management('GET', organization, undefined, header)).status).toBe(401);
  });
});

const json = 'application/json; charset=utf-8';
const page =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n';

const timeoutPage = '<html><head><title>524: A timeout occurred</title></head></html>\n';

const failure = (status: number, error: string) => ({
  status,
  error,
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
});

const named = ['content-type', 'x-ratelimit-reset', 'retry-after', 'ratelimit-remaining'];

const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    named.flatMap((name) => [[name, headers.get(name)]]).filter(([, value]) => value),
  );

type Row = readonly [
  fault: Fault,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
];

const onManagement: readonly Row[] = [
  [
    'tooManyRequests',
    429,
    { 'content-type': json, 'x-ratelimit-reset': '30.000' },
    failure(429, 'TOO_MANY_REQUESTS: an API key may make 10 requests in 10 seconds'),
  ],
  [
    'serverError',
    500,
    { 'content-type': json },
    failure(500, 'INTERNAL_SERVER_ERROR: this credential always fails'),
  ],
  [
    'unavailable',
    503,
    { 'content-type': json, 'retry-after': '30' },
    failure(503, 'SERVICE_UNAVAILABLE: this credential is never served'),
  ],
  ['proxyTimeout', 524, { 'content-type': 'text/html; charset=utf-8' }, timeoutPage],
  ['html', 200, { 'content-type': 'text/html; charset=utf-8' }, page],
];

const onObservability: readonly Row[] = [
  [
    'tooManyRequests',
    429,
    {
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '60',
      'ratelimit-remaining': '0',
    },
    'Too many requests, please try again later.',
  ],
  ['serverError', 500, { 'content-type': json }, { message: 'this credential always fails' }],
  [
    'unavailable',
    503,
    { 'content-type': json, 'retry-after': '30' },
    { message: 'this credential is never served' },
  ],
  ['proxyTimeout', 524, { 'content-type': 'text/html; charset=utf-8' }, timeoutPage],
  ['html', 200, { 'content-type': 'text/html; charset=utf-8' }, page],
];

describe('on the management interface', () => {
  it.each(onManagement)('%s fails each time, and writes nothing', async (fault, ...expected) => {
    const { management } = await open();
    const { header } = keys[fault];
    const read = await management('GET', organization, undefined, header);
    const write = await management('PATCH', organization, { name: 'Changed' }, header);
    for (const { status, headers, body } of [read, write]) {
      expect([status, headersOf(headers), body]).toEqual(expected);
    }
    expect((await management('GET', organization)).body.result).toMatchObject({
      name: 'Northwind Analytics',
    });
  });
});

describe('on the observability interface', () => {
  it.each(onObservability)('%s fails each time, and writes nothing', async (fault, ...expected) => {
    const { observability } = await open();
    const { header } = tokens[fault];
    const dashboards = '/api/v2/dashboards';
    const before = await observability('GET', dashboards);
    const read = await observability('GET', alerts, undefined, header);
    const write = await observability('POST', dashboards, { name: 'New', tiles: [] }, header);
    for (const { status, headers, body } of [read, write]) {
      expect([status, headersOf(headers), body]).toEqual(expected);
    }
    expect((await observability('GET', dashboards)).text).toBe(before.text);
  });

  it('429 names the true wait beside the window, and each answer still says what is left', async () => {
    const { observability } = await open({ limits: true });
    const limits = async (fault: Fault) => {
      const { headers } = await observability('GET', alerts, undefined, tokens[fault].header);
      return ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));
    };
    expect(await limits('tooManyRequests')).toEqual(['100', '0', '30']);
    expect(await limits('serverError')).toEqual(['100', '99', '60']);
    expect(await limits('html')).toEqual(['100', '99', '60']);
  });
});
