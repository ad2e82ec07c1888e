import { afterEach, describe, expect, it } from 'vitest';
import {
  hangUp,
  hint,
  type Reaction,
  reset,
  resetWithinBody,
  silence,
} from '../support/faults/backend.ts';
import { writes } from '../support/faults/breaker.ts';
import { reads, startFaultStack, status, unexpected, upstreams } from '../support/faults/stack.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';

let stack: Stack;
afterEach(() => stack.close());

const perhaps = /It may have been carried out\.$/;
const unsent = /It was not sent\.$/;

const json = { 'content-type': 'application/json' };

const unknown: readonly (readonly [title: string, reaction: Reaction, code: string])[] = [
  ['a reset before the answer', reset, 'UPSTREAM_UNAVAILABLE'],
  ['a connection closed without an answer', hangUp, 'UPSTREAM_UNAVAILABLE'],
  ['an answer that is cut off', resetWithinBody, 'UPSTREAM_UNAVAILABLE'],
  ['no answer in time', silence, 'UPSTREAM_TIMEOUT'],
  ['informational answers alone', hint, 'UPSTREAM_TIMEOUT'],
  ['504', status(504), 'UPSTREAM_TIMEOUT'],
  ['502', status(502), 'UPSTREAM_UNAVAILABLE'],
  ['524', status(524), 'UPSTREAM_TIMEOUT'],
  ['520', status(520), 'UPSTREAM_TIMEOUT'],
  ['530', status(530), 'UPSTREAM_UNAVAILABLE'],
  ['529', status(529), 'UPSTREAM_ERROR'],
  ['500', status(500), 'UPSTREAM_ERROR'],
  [
    'HTML under 200',
    { headers: { 'content-type': 'text/html' }, body: '<p>' },
    'UPSTREAM_BAD_RESPONSE',
  ],
  ['half of an answer under 200', { headers: json, body: '{"st' }, 'UPSTREAM_BAD_RESPONSE'],
  ['what is not HTTP', ({ socket }) => socket?.end('SSH-2.0\r\n'), 'UPSTREAM_BAD_RESPONSE'],
];

/** The codes of reads, where they are others. */
const codesOfReads: Readonly<Record<string, string>> = { 520: 'UPSTREAM_UNAVAILABLE' };

describe.each(upstreams)('a write of %s', (upstream) => {
  const config = { operationTimeoutMs: 1_000, writeTimeoutMs: 1_000, maxRetries: 0 };

  it.each(unknown)(
    'that meets %s says that it may have been carried out',
    async (_, reaction, code) => {
      const started = await startFaultStack(upstream, () => reaction, config);
      stack = started;
      const { body } = await stack.query(writes[upstream]);
      expect(body.errors).toMatchObject([
        { message: expect.stringMatching(perhaps), extensions: { code, retryable: false } },
      ]);
      expect(started.backend.calls).toHaveLength(1);
    },
  );

  it.each(unknown)('differs from a read that meets %s', async (title, reaction, code) => {
    stack = await startFaultStack(upstream, () => reaction, config);
    const { body } = await stack.query(reads[upstream].document);
    expect(body.errors).toMatchObject([
      {
        message: expect.not.stringMatching(perhaps),
        extensions: { code: codesOfReads[title] ?? code },
      },
    ]);
  });

  it.each<readonly [string, Reaction]>([
    ['503', status(503)],
    ['429', status(429)],
    ['403', status(403)],
    ['404', status(404)],
    ['a redirect', status(302)],
  ])('that is refused with %s does not', async (_, reaction) => {
    stack = await startFaultStack(upstream, () => reaction);
    const { body } = await stack.query(writes[upstream]);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].message).not.toMatch(/carried out|not sent/);
  });

  it('whose connection is refused says that it was not sent, and may be repeated', async () => {
    stack = await startStack({
      management: unexpected,
      observability: unexpected,
      config: { [`${upstream}Url`]: await refusingUrl() },
    });
    const { body } = await stack.query(writes[upstream]);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(unsent),
        extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true },
      },
    ]);
  });
});
