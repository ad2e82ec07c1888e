import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startGateway } from '../support/gateway.ts';
import { accessControl, preflight, sendSized } from '../support/http/requests.ts';

const page = 'https://app.example';
const listed = { CORS_ORIGINS: page };

/** What a browser reads in the answer to a preflight for these headers. */
const ask = async (
  env: Readonly<Record<string, string>>,
  headers: string,
  { origin = page, method = 'POST' } = {},
) => {
  const gateway = await startGateway(env);
  const answer = await sendSized(gateway.url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  });
  const names = answer.headers.get('access-control-allow-headers')?.split(', ') ?? [];
  const allowed = headers.split(',').every((name) => names.includes(name));
  const lines = gateway.lines.map((line) => JSON.parse(line));
  return { status: answer.status, allowed, answer, text: await answer.text(), lines };
};

it.each([
  'apollographql-client-name,apollographql-client-version,content-type',
  'baggage,content-type,sentry-trace',
  'traceparent,tracestate',
  'x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority,x-datadog-tags,x-datadog-trace-id',
  'cache-control,sluice-explain,x-request-id',
])('pages of a listed origin may send %s', async (headers) => {
  const { status, allowed, text, lines } = await ask(listed, headers);
  expect([status, allowed, text, lines]).toEqual([204, true, '', []]);
});

it('pages may send what CORS_HEADERS lists, in whatever letters, beside what they may send anyway', async () => {
  const env = { ...listed, CORS_HEADERS: ' X-Team ,x-page' };
  const { status, allowed } = await ask(env, 'apollographql-client-name,x-page,x-team');
  expect([status, allowed]).toEqual([204, true]);
});

it('a header that is not listed is named with its setting, in the answer and in the log', async () => {
  const { status, text, answer, lines } = await ask(listed, 'content-type,X-Team, x-page');
  const message =
    'Pages of other origins may not send x-team, x-page: add it to the setting CORS_HEADERS.';
  // A browser says which header it is only if the answer is a success.
  expect([status, text]).toEqual([200, `${message}\n`]);
  expect(answer.headers.get('access-control-allow-origin')).toBe(page);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(lines).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'refused a preflight',
      setting: 'CORS_HEADERS',
      finding: message,
    }),
  ]);
});

it.each([
  ['others are listed', { CORS_ORIGINS: 'https://other.example' }],
  ['none is listed', {}],
])('an origin is named with its setting where %s', async (_, env) => {
  const { status, text, answer, lines } = await ask(env, 'content-type');
  const message = `Pages of ${page} may not read answers: the setting CORS_ORIGINS does not list this origin.`;
  expect([status, text]).toEqual([403, `${message}\n`]);
  expect(accessControl(answer)).toEqual([]);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'refused a preflight',
      setting: 'CORS_ORIGINS',
      finding: message,
    }),
  ]);
});

it('a method that no page may send is named', async () => {
  const { status, text } = await ask(listed, 'content-type', { method: 'DELETE' });
  expect([status, text]).toEqual([
    200,
    'Pages of other origins may send GET and POST, not DELETE.\n',
  ]);
});

it('an origin as long as a head may be leaves a short line', async () => {
  const { lines } = await ask(listed, 'content-type', { origin: `https://${'a'.repeat(9000)}` });
  expect(lines[0].finding).toHaveLength(500);
});

it('an origin that is markup is sent back as text that no browser renders', async () => {
  const { url } = await startGateway(listed);
  const answer = await preflight(url, '<script>alert(1)</script>');
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

it('names of headers and origins that cannot be used are told together', () => {
  const read = () =>
    readConfig({
      MANAGEMENT_URL: 'http://127.0.0.1:1',
      OBSERVABILITY_URL: 'http://127.0.0.1:1',
      CORS_ORIGINS: 'https://app.example/,*',
      CORS_HEADERS: 'x-team,*,a b,,x:y',
    });
  expect(read).toThrow(
    [
      'CORS_ORIGINS must be origins such as https://app.example, separated by commas, got "https://app.example/, *"',
      'CORS_HEADERS must be names of headers such as x-team, separated by commas, got "*, a b, , x:y"',
    ].join('\n'),
  );
});
