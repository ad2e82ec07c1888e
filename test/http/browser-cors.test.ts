import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import type { Stack } from '../support/harness.ts';
import { answerKinds, answerOf } from '../support/http/answers.ts';
import { asJson, startOperations, write } from '../support/http/operations.ts';
import { accessControl, preflight, sendSized, ways } from '../support/http/requests.ts';

let stack: Stack;
beforeEach(() => {
  stack.calls.length = 0;
});

const strangers = [
  'https://elsewhere.example',
  'null',
  'http://localhost:3000',
  'https://app.example.elsewhere.example',
  'https://app.example@elsewhere.example',
  'https://elsewhereapp.example',
  'https://appxexample',
  'http://app.example',
  'https://app.example:444',
  'https://app.example:8443',
  'https://app.example/',
  'https://app.example,https://tools.example:8443',
  'https://tools.example',
  '*',
  'constructor',
];

describe('no page of another origin reads an answer', () => {
  beforeAll(async () => {
    stack = await startOperations();
  });
  afterAll(() => stack.close());

  it.each(answerKinds)('that is $title', async (kind) => {
    for (const origin of ['https://app.example', 'null', new URL(stack.url).origin]) {
      const answer = await answerOf(stack, kind, { origin });
      expect(answer.status).toBe(kind.status);
      expect(accessControl(answer)).toEqual([]);
    }
  });

  it.each(['https://app.example', ...strangers])('asked first by %s', async (origin) => {
    expect(accessControl(await preflight(stack.url, origin))).toEqual([]);
    expect(stack.calls).toEqual([]);
  });
});

describe('where origins are listed', () => {
  const listed = ['https://app.example', 'https://tools.example:8443'];
  beforeAll(async () => {
    stack = await startOperations({ corsOrigins: listed });
  });
  afterAll(() => stack.close());

  const expectOpenTo = (answer: Response, origin: string): void => {
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expect(accessControl(answer).join()).not.toContain('*');
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
    expect(answer.headers.get('access-control-expose-headers')).toBe('age, x-request-id');
  };

  it.each(answerKinds.filter(({ graphql }) => graphql))(
    'their pages read an answer that is $title',
    async (kind) => {
      for (const origin of listed) {
        const answer = await answerOf(stack, kind, { origin });
        expect(answer.status).toBe(kind.status);
        expectOpenTo(answer, origin);
      }
    },
  );

  it.each(listed)('%s is told before a request that it may send one', async (origin) => {
    const answer = await preflight(stack.url, origin);
    expect([200, 204]).toContain(answer.status);
    expectOpenTo(answer, origin);
    const names = (header: string): readonly string[] =>
      answer.headers
        .get(header)
        ?.toLowerCase()
        .split(',')
        .map((name) => name.trim()) ?? [];
    expect(names('access-control-allow-methods')).toContain('post');
    const headers = names('access-control-allow-headers');
    for (const name of Object.keys(asJson)) expect(headers).toContain(name);
    for (const name of ['authorization', 'cache-control']) expect(headers).toContain(name);
    expect(stack.calls).toEqual([]);
  });

  it.each(answerKinds)('nobody else reads an answer that is $title', async (kind) => {
    for (const origin of strangers) {
      expect(accessControl(await answerOf(stack, kind, { origin }))).toEqual([]);
    }
    expect(accessControl(await answerOf(stack, kind))).toEqual([]);
  });

  it.each(strangers)('%s asks first in vain', async (origin) => {
    expect(accessControl(await preflight(stack.url, origin))).toEqual([]);
  });

  it.each(ways)('their simple requests execute nothing either, with %s', async (_, way) => {
    const [origin = ''] = listed;
    const answer = await way(stack.url, {
      method: 'POST',
      headers: { ...asJson, 'content-type': 'text/plain', origin },
      body: JSON.stringify({ query: write }),
    });
    expect(answer.status).toBe(415);
    expect(stack.callList()).toEqual([]);
  });
});

describe('CORS_ORIGINS', () => {
  const allowed = async (env: Readonly<Record<string, string>>, origin: string) => {
    const { url } = await startGateway(env);
    return accessControl(await sendSized(url, { headers: { origin } }));
  };

  it('closes all where it is empty', async () => {
    expect(await allowed({ CORS_ORIGINS: ' ' }, 'https://app.example')).toEqual([]);
  });

  it('lists origins, separated by commas, with blanks around them or none', async () => {
    const CORS_ORIGINS = ' https://app.example , http://localhost:3000,https://tools.example:8443';
    for (const origin of CORS_ORIGINS.split(',').map((text) => text.trim())) {
      expect(await allowed({ CORS_ORIGINS }, origin)).toContain(
        `access-control-allow-origin: ${origin}`,
      );
    }
  });

  it.each(['*', 'null', 'app.example', 'https://app.example/path', 'a,,b'])(
    'keeps the gateway from starting when it is %s',
    async (CORS_ORIGINS) => {
      await expect(startGateway({ CORS_ORIGINS })).rejects.toThrow(
        /^CORS_ORIGINS must be .+, got /,
      );
    },
  );
});
