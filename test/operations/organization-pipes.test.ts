import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answer, json, result, stackInTest } from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, pipeOf } from '../support/world/worlds.ts';

const services = '/v1/organizations/organization-1/services';
const unread = 'unreadServices { service { name } code message retryAfterSeconds }';
const everything = `pipes { totalCount items { name service { name } } ${unread} }`;

const serviceOf = (number: number) => ({
  id: withIds(`service-${number}`),
  name: `Service ${number}`,
});

interface Options {
  readonly config?: Partial<Config>;
  /** What the list of services is answered with. */
  readonly list?: Answer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An organization of three services, each with the pipe of its number or with another answer. */
const start = async (
  replies: Readonly<Record<number, Answer | Promise<Answer>>> = {},
  { config = {}, list, headers = {} }: Options = {},
) => {
  const management = ({ path }: { readonly path: string }) => {
    if (path === withIds(services)) return list ?? result(numbers(3).map(serviceOf));
    const number = Number(/service-(\d+)\/pipes$/.exec(withNames(path))?.[1]);
    return replies[number] ?? result([pipeOf(number)]);
  };
  const stack = await stackInTest({
    management,
    config: { maxRetries: 0, breakerFailures: 1_000_000, ...config },
  });
  /** Selects something of the organization: the answer, and the calls for it. */
  const ask = async (selection: string) => {
    stack.calls.length = 0;
    const document = withIds(`{ organization(organizationId: "organization-1") { ${selection} } }`);
    const { body } = await stack.query(document, { headers });
    return {
      ...body,
      organization: body.data.organization,
      calls: stack.callList().map(withNames),
    };
  };
  return ask;
};

const callsOf = (...ofServices: readonly number[]): readonly string[] => [
  `GET ${services}`,
  ...ofServices.map((number) => `GET ${services}/service-${number}/pipes`),
];
const refused = (status: number, error: string, headers = {}): Answer => {
  const answer = json({ status, error, requestId: 'r-1' }, status);
  return { ...answer, headers: { ...answer.headers, ...headers } };
};
const asleep = refused(424, 'the service is idle');

it('the pipes of an organization are filtered, and counted as filtered, over the same reads', async () => {
  const ask = await start({ 2: result([pipeOf(2), pipeOf(4)]), 3: asleep });
  const { organization, calls } = await ask(`
    stopped: pipes(filter: { stateIn: ["stopped"] }) { totalCount items { name } unreadServices { code } }
    running: pipes(filter: { phaseIn: RUNNING, nameContains: "1" }) { totalCount items { name } }
    none: pipes(filter: { sourceIn: [MYSQL] }) { totalCount items { id } }
    services { pipes { id } }`);
  const unreadServices = [{ code: 'SERVICE_NOT_RUNNING' }];
  expect(organization).toMatchObject({
    stopped: { totalCount: 2, items: [{ name: 'Pipe 2' }, { name: 'Pipe 4' }], unreadServices },
    running: { totalCount: 1, items: [{ name: 'Pipe 1' }] },
    none: { totalCount: 0, items: [] },
  });
  expect(calls).toEqual(callsOf(1, 2, 3));
});

it.each<readonly [code: string, reply: Answer]>([
  ['SERVICE_NOT_RUNNING', asleep],
  ['UPSTREAM_UNAVAILABLE', refused(503, 'down', { 'retry-after': '2.5' })],
])('the pipes of an organization say of a service what its error says: %s', async (code, reply) => {
  const ask = await start({ 2: reply });
  const selection = `pipes { items { name } ${unread} } services { pipes { id } }`;
  const { organization, errors } = await ask(selection);
  expect(organization.pipes.items).toEqual([{ name: 'Pipe 1' }, { name: 'Pipe 3' }]);
  const [{ path, message, extensions }, ...others] = errors;
  expect([path, others]).toEqual([['organization', 'services', 1, 'pipes'], []]);
  const { retryAfterSeconds = null } = extensions;
  expect(organization.pipes.unreadServices).toEqual([
    { service: { name: 'Service 2' }, code, message, retryAfterSeconds },
  ]);
  expect(extensions.code).toBe(code);
});

it('the pipes of an organization say of a service with an unusable identifier what its error says', async () => {
  const ask = await start({}, { list: result([{ id: '../../keys', name: 'Odd' }, serviceOf(1)]) });
  const selection = `pipes { totalCount ${unread} } services { pipes { id } }`;
  const { organization, errors, calls } = await ask(selection);
  const { code, message } = organization.pipes.unreadServices[0];
  expect([organization.pipes.totalCount, code]).toEqual([1, 'UPSTREAM_BAD_RESPONSE']);
  expect(errors).toMatchObject([{ message, extensions: { code } }]);
  expect(calls).toEqual(callsOf(1));
});

const noCredential = { 'management-authorization': '' };
const small = { maxUpstreamBytes: 4000 };
const large = result([{ ...pipeOf(2), note: 'x'.repeat(5000) }]);
it.each<[because: string, code: string, calls: unknown, ...Parameters<typeof start>]>([
  ['there is no credential', 'UNAUTHENTICATED', [], {}, { headers: noCredential }],
  ['the list fails', 'UPSTREAM_ERROR', callsOf(), {}, { list: refused(500, 'broken') }],
  ['one refuses the credential', 'UNAUTHENTICATED', callsOf(1, 2, 3), { 2: refused(401, 'no') }],
  ['one is large', 'UPSTREAM_BUDGET_EXCEEDED', expect.anything(), { 2: large }, { config: small }],
])('the pipes of an organization fail as a whole where %s', async (_, code, calls, ...world) => {
  const ask = await start(...world);
  const answer = await ask(everything);
  expect(answer.organization).toEqual({ pipes: null });
  expect(answer.errors).toMatchObject([{ path: ['organization', 'pipes'], extensions: { code } }]);
  expect(answer.calls).toEqual(calls);
});
