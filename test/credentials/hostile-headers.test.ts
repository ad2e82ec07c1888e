import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hostileCredentials } from '../support/hostile/credentials.ts';
import { foreignHeaders } from '../support/hostile/foreign.ts';
import {
  managementAnswer,
  observabilityAnswer,
  type RawCall,
  useHostileStack,
} from '../support/hostile/stack.ts';
import { type HeaderLine, postBytes, type RawRequest, statusIn } from '../support/http/raw.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

const running = useHostileStack();

const ids =
  'organizationId: "0a9a0000-0000-4000-8000-000000000001", serviceId: "5e4c0000-0000-4000-8000-000000000001"';
const documents = {
  read: `{ service(${ids}) { name } alerts { name } }`,
  write: `mutation {
    updateServiceScaling(input: {${ids}, numReplicas: 2}) { service { name } }
    createDashboard(input: {name: "n"}) { dashboard { name } }
  }`,
  delete: `mutation {
    updateServicePassword(input: {${ids}}) { password }
    deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId }
  }`,
} as const;

const bodies: Readonly<Record<keyof typeof documents, Readonly<Record<Upstream, string>>>> = {
  read: { management: '', observability: '' },
  write: { management: '{"numReplicas":2}', observability: '{"name":"n"}' },
  delete: { management: '{}', observability: '' },
};

type Upstream = 'management' | 'observability';
const own = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
} as const;
const good = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer the-token' } as const;

const responseTypes: readonly (readonly [title: string, accept: readonly HeaderLine[]])[] = [
  ['application/json', []],
  ['application/graphql-response+json', [['Accept', 'application/graphql-response+json']]],
];

/** All headers of a call but those that are the connection's own, sorted. */
const received = ({ headers }: RawCall) =>
  headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();

const uuid = /^x-request-id: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Expected {
  readonly credential: string;
  readonly body?: string;
  readonly more?: readonly string[];
}

/** Expects one call with these headers and not one more, by name and value. */
const expectExactly = (upstream: Upstream, { credential, body = '', more = [] }: Expected) => {
  const { calls, url } = running()[upstream];
  expect(calls.map((call) => call.body)).toEqual([body]);
  const [headers = []] = calls.map(received);
  const known = more.some((line) => line.startsWith('x-request-id: '));
  expect(known ? [] : headers.filter((line) => uuid.test(line))).toHaveLength(known ? 0 : 1);
  expect(known ? headers : headers.filter((line) => !uuid.test(line))).toEqual(
    [
      `host: ${url.host}`,
      'connection: keep-alive',
      `authorization: ${credential}`,
      'accept: application/json',
      `user-agent: sluice/${version}`,
      ...(body === ''
        ? []
        : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
      ...more,
    ].sort(),
  );
};

const post = async (request: RawRequest): Promise<number> => {
  const { management, observability, stack } = running();
  management.answer(
    managementAnswer((line) => (/services\/\S{36} /.test(line) ? { name: 'n' } : {})),
  );
  observability.answer(observabilityAnswer((line) => (line.startsWith('GET') ? [] : { id: 'd' })));
  return statusIn(await postBytes(stack.url, request));
};

const headerKinds = [
  ['its own header', (upstream: Upstream): string => own[upstream]],
  ['the plain header', (): string => 'Authorization'],
] as const;

describe.each(responseTypes)('a hostile credential, answered as %s', (_, accept) => {
  it('is one of thirty and more', () => {
    expect(hostileCredentials.length).toBeGreaterThanOrEqual(30);
  });

  describe.each(['management', 'observability'] as const)('for %s', (upstream) => {
    const [other, scheme, otherScheme] =
      upstream === 'management'
        ? (['observability', 'Basic', 'Bearer'] as const)
        : (['management', 'Bearer', 'Basic'] as const);
    const bystander: HeaderLine = [own[other], good[other]];

    describe.each(headerKinds)('in %s', (_kind, nameOf) => {
      it.each(hostileCredentials)('$title', async ({ lines, reaches, noHttp }) => {
        const given = lines(nameOf(upstream), scheme, otherScheme);
        const headers = [...accept, bystander, ...given];
        const status = await post({ headers, document: documents.read });
        if (noHttp === 431) expect(status).toBe(431);
        if (status !== 200) {
          expect(noHttp).toBeDefined();
          expect([400, 431]).toContain(status);
          expect(running().management.calls).toEqual([]);
          expect(running().observability.calls).toEqual([]);
          return;
        }
        expectExactly(other, { credential: good[other] });
        if (reaches) expectExactly(upstream, { credential: reaches(scheme) });
        else expect(running()[upstream].calls).toEqual([]);
      });
    });
  });
});

describe.each(responseTypes)('answered as %s', (_, accept) => {
  describe.each(['read', 'write', 'delete'] as const)('the upstreams of a %s see', (kind) => {
    it.each(foreignHeaders)('nothing but the allow-list: $title', async (row) => {
      const { lines = [], request, more = [], refusable } = row;
      const headers: readonly HeaderLine[] = [
        ...accept,
        [own.management, good.management],
        [own.observability, good.observability],
        ...lines,
      ];
      const status = await post({ headers, document: documents[kind], ...request });
      const calls = [...running().management.calls, ...running().observability.calls];
      if (refusable && calls.length === 0) {
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
        return;
      }
      expect(status).toBe(200);
      for (const upstream of ['management', 'observability'] as const) {
        const body = bodies[kind][upstream];
        expectExactly(upstream, { credential: good[upstream], body, more });
      }
    });
  });

  it('all of it at once', async () => {
    const headers: readonly HeaderLine[] = [
      ...accept,
      [own.management, good.management],
      [own.observability, good.observability],
      ...foreignHeaders.flatMap(({ lines = [], refusable, more }) =>
        refusable || more ? [] : lines,
      ),
    ];
    expect(await post({ headers, document: documents.write })).toBe(200);
    for (const upstream of ['management', 'observability'] as const) {
      const body = bodies.write[upstream];
      expectExactly(upstream, { credential: good[upstream], body });
    }
  });
});
