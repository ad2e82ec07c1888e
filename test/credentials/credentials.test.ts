import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { authorizationOf, type HeaderLine, postRaw } from '../support/http/raw.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const both = `{
  service(organizationId: "${organizationId}", serviceId: "${serviceId}") { name }
  alerts { name }
}`;

const own = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
};
const basic = 'Basic a2V5OnNlY3JldA==';
const otherBasic = 'Basic b3RoZXI6b3RoZXI=';
const bearer = 'Bearer token.of-the_caller~1';
const otherBearer = 'Bearer another-token';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({ id: serviceId, name: 'production' }),
    observability: () => data([{ id: 'a1', name: 'lag' }]),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** Who was called with which credential; and which fields answered, which were refused. */
const ask = async (headers: readonly HeaderLine[]) => {
  const { status, head, body } = await postRaw(stack.url, both, headers);
  const sent = Object.fromEntries(
    stack.calls.map((call) => [call.upstream, authorizationOf(call)]),
  );
  return {
    status,
    head,
    sent,
    service: body?.data?.service?.name ?? null,
    alert: body?.data?.alerts?.[0]?.name ?? null,
    refused: (body?.errors ?? [])
      .map((error: AnswerError) => [error.path, error.extensions.code])
      .sort(),
  };
};

const refusal = {
  management: [['service'], 'UNAUTHENTICATED'],
  observability: [['alerts'], 'UNAUTHENTICATED'],
} as const;

interface Row {
  readonly title: string;
  readonly headers: readonly HeaderLine[];
  readonly management?: string;
  readonly observability?: string;
}

const rows: readonly Row[] = [
  {
    title: 'each from the header of its own',
    headers: [
      [own.management, basic],
      [own.observability, bearer],
    ],
    management: basic,
    observability: bearer,
  },
  {
    title: 'the management one alone',
    headers: [[own.management, basic]],
    management: basic,
  },
  {
    title: 'the observability one alone',
    headers: [[own.observability, bearer]],
    observability: bearer,
  },
  {
    title: 'Basic in the plain header, to management only',
    headers: [['Authorization', basic]],
    management: basic,
  },
  {
    title: 'Bearer in the plain header, to observability only',
    headers: [['Authorization', bearer]],
    observability: bearer,
  },
  {
    title: 'plain Basic beside a Bearer of its own',
    headers: [
      ['Authorization', basic],
      [own.observability, bearer],
    ],
    management: basic,
    observability: bearer,
  },
  {
    title: 'plain Bearer beside a Basic of its own',
    headers: [
      ['Authorization', bearer],
      [own.management, basic],
    ],
    management: basic,
    observability: bearer,
  },
  {
    title: "management's own header before plain Basic",
    headers: [
      ['Authorization', otherBasic],
      [own.management, basic],
    ],
    management: basic,
  },
  {
    title: "observability's own header before plain Bearer",
    headers: [
      ['Authorization', otherBearer],
      [own.observability, bearer],
    ],
    observability: bearer,
  },
  {
    title: 'no plain Basic in place of a refused header of its own',
    headers: [
      ['Authorization', basic],
      [own.management, 'Bearer wrong-scheme'],
      [own.observability, bearer],
    ],
    observability: bearer,
  },
  {
    title: 'no plain Bearer in place of a refused header of its own',
    headers: [
      ['Authorization', bearer],
      [own.observability, 'Basic wrong-scheme'],
      [own.management, basic],
    ],
    management: basic,
  },
  { title: 'nothing where nothing came', headers: [] },
  { title: 'nothing for a plain scheme of neither', headers: [['Authorization', 'Digest abc']] },
  {
    title: 'the scheme in any letter case and with any blanks, in its usual spelling',
    headers: [
      [own.management, 'bAsIc a2V5OnNlY3JldA=='],
      [own.observability, 'bearer   x'],
    ],
    management: 'Basic a2V5OnNlY3JldA==',
    observability: 'Bearer x',
  },
  {
    title: 'every visible ASCII character, byte for byte',
    headers: [
      [own.management, 'Basic !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
      [own.observability, 'Bearer !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
    ],
    management: 'Basic !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~',
    observability: 'Bearer !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~',
  },
  {
    title: 'exactly 4 KB',
    headers: [[own.management, `Basic ${'x'.repeat(4090)}`]],
    management: `Basic ${'x'.repeat(4090)}`,
  },
];

describe('credentials reach their upstreams:', () => {
  it.each(rows)('$title', async ({ headers, management, observability }) => {
    const answer = await ask(headers);
    expect(answer).toMatchObject({
      status: 200,
      service: management === undefined ? null : 'production',
      alert: observability === undefined ? null : 'lag',
    });
    expect(answer.sent).toEqual({
      ...(management !== undefined && { management }),
      ...(observability !== undefined && { observability }),
    });
    expect(answer.refused).toEqual([
      ...(observability === undefined ? [refusal.observability] : []),
      ...(management === undefined ? [refusal.management] : []),
    ]);
  });
});

const schemes = { management: 'Basic', observability: 'Bearer' } as const;
const otherSchemes = { management: 'Bearer', observability: 'Basic' } as const;
const good = { management: basic, observability: bearer } as const;

const faults: readonly (readonly [title: string, bad: (scheme: string) => readonly string[]])[] = [
  ['no value', (scheme) => [scheme]],
  ['only spaces after the scheme', (scheme) => [`${scheme}   `]],
  ['an empty header', () => ['']],
  ['no scheme', () => ['a2V5OnNlY3JldA==']],
  ['a scheme that only begins alike', (scheme) => [`${scheme}x abc`]],
  ['an inner space', (scheme) => [`${scheme} abc def`]],
  ['a tab for the space', (scheme) => [`${scheme}\tabc`]],
  ['an inner tab', (scheme) => [`${scheme} abc\tdef`]],
  ['a Latin-1 byte', (scheme) => [`${scheme} abc\xe9`]],
  ['UTF-8 bytes', (scheme) => [`${scheme} abc\xc3\xa9`]],
  ['a no-break space at its end', (scheme) => [`${scheme} abc\xa0`]],
  ['one byte above 4 KB', (scheme) => [`${scheme} ${'x'.repeat(4096 - scheme.length)}`]],
  ['two different values', (scheme) => [`${scheme} abc`, `${scheme} def`]],
  ['the same value twice', (scheme) => [`${scheme} abc`, `${scheme} abc`]],
];

describe.each(['management', 'observability'] as const)('a credential for %s', (upstream) => {
  const other = upstream === 'management' ? 'observability' : 'management';
  const bystander: HeaderLine = [own[other], good[other]];
  const refused = {
    status: 200,
    sent: { [other]: good[other] },
    service: upstream === 'management' ? null : 'production',
    alert: upstream === 'management' ? 'lag' : null,
    refused: [refusal[upstream]],
  };

  it('of the other scheme is refused before any call', async () => {
    const answer = await ask([[own[upstream], `${otherSchemes[upstream]} abc`], bystander]);
    expect(answer).toMatchObject(refused);
  });

  it.each(faults)('with %s is refused before any call', async (_, bad) => {
    const values = bad(schemes[upstream]);
    const lines = values.map((value): HeaderLine => [own[upstream], value]);
    expect(await ask([...lines, bystander])).toMatchObject(refused);
  });

  it.each([
    ['a Latin-1 byte', ['abc\xe9']],
    ['an inner space', ['abc def']],
    ['two different values', ['abc', 'def']],
  ])('with %s is refused in the plain header too', async (_, values) => {
    const lines = values.map(
      (value): HeaderLine => ['Authorization', `${schemes[upstream]} ${value}`],
    );
    expect(await ask([...lines, bystander])).toMatchObject(refused);
  });

  it.each([
    ['a NUL', '\x00'],
    ['an escape', '\x1b'],
    ['a DEL', '\x7f'],
    ['a bare CR', '\r'],
    ['a bare LF', '\n'],
  ])('with %s in it reaches nobody', async (_, character) => {
    const value = `${schemes[upstream]} abc${character}def`;
    const answer = await ask([[own[upstream], value], bystander]);
    expect([400, 200]).toContain(answer.status);
    expect(answer.sent[upstream]).toBeUndefined();
    if (answer.status === 200) expect(answer).toMatchObject(refused);
  });
});

describe('the answer', () => {
  it('never holds WWW-Authenticate, not even when both upstreams send it', async () => {
    const challenge = { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' };
    const challenging = await startStack({
      management: () => ({ ...json({ status: 401, error: 'no' }, 401), headers: challenge }),
      observability: () => ({ ...json({ message: 'no' }, 401), headers: challenge }),
    });
    const { status, headers, body } = await challenging.query(both);
    await challenging.close();
    expect(status).toBe(200);
    expect(headers.get('www-authenticate')).toBeNull();
    expect(
      body.errors.map((error: AnswerError) => [error.path[0], error.extensions.code]).sort(),
    ).toEqual([
      ['alerts', 'UNAUTHENTICATED'],
      ['service', 'UNAUTHENTICATED'],
    ]);
  });

  it('holds no WWW-Authenticate for a missing or refused credential', async () => {
    expect((await ask([])).head).not.toContain('www-authenticate');
    expect((await ask([['Authorization', 'Digest x']])).head).not.toContain('www-authenticate');
  });
});
