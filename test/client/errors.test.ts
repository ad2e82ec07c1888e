import '../support/client/built.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, TypedDocumentString } from '../../client/src/index.ts';
import {
  AlertDocument,
  DashboardsDocument,
  PipeDocument,
  UpdateAlertDocument,
  UpdateOrganizationDocument,
} from '../../client/src/operations.ts';
import { world } from '../../sandbox/world/ids.ts';
import { errorOf } from '../support/client/kit.ts';
import { json, startSandboxStack, startStack } from '../support/harness.ts';

const { alerts } = world.observability.main;
const { organizationId, services, pipes } = world.management.main;
const pipe = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };

const ownQuery = (text: string) => new TypedDocumentString<unknown, Record<string, never>>(text);

describe('errors of the gateway', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let client: Client;
  const clientWith = (options: Partial<Parameters<typeof createClient>[0]>): Client =>
    createClient({
      url: stack.url,
      management: stack.sandbox.credentials.management.admin.header,
      observability: stack.sandbox.credentials.observability.main.header,
      ...options,
    });
  beforeAll(async () => {
    stack = await startSandboxStack();
    client = clientWith({});
  });
  afterAll(() => stack.close());

  it('without a credential: UNAUTHENTICATED, with the upstream and the path', async () => {
    const error = await errorOf(clientWith({ management: undefined }).request(PipeDocument, pipe));
    const { requestId } = error;
    expect(error).toMatchObject({ name: 'SluiceError', code: 'UNAUTHENTICATED', status: 200 });
    expect(error.problems).toEqual([
      {
        message: expect.stringContaining('Management-Authorization: Basic'),
        code: 'UNAUTHENTICATED',
        path: ['pipe'],
        upstream: { name: 'management', operation: 'getPipe' },
        requestId,
        retryable: false,
      },
    ]);
    expect(requestId).toMatch(/^[\w-]{20,}$/);
    expect(error.message).toBe(error.problems[0]?.message);
    expect(error.data).toEqual({ pipe: null });
  });

  it('of a refused credential: UNAUTHENTICATED, with the status of the upstream', async () => {
    const stranger = clientWith({ observability: 'Bearer nobody' });
    const error = await errorOf(stranger.request(DashboardsDocument));
    expect(error.code).toBe('UNAUTHENTICATED');
    expect(error.problems[0]?.upstream).toMatchObject({ name: 'observability', status: 401 });
  });

  it('of a key that may not: FORBIDDEN', async () => {
    const { header } = stack.sandbox.credentials.management.developer;
    const input = { organizationId, name: 'Mine' };
    const error = await errorOf(
      clientWith({ management: header }).request(UpdateOrganizationDocument, { input }),
    );
    expect(error).toMatchObject({ code: 'FORBIDDEN', data: { updateOrganization: {} } });
  });

  it('of what is not there: NOT_FOUND', async () => {
    const error = await errorOf(client.request(AlertDocument, { id: 'nothing' }));
    expect(error).toMatchObject({ code: 'NOT_FOUND', data: { alert: null } });
  });

  it('of a variable that does not fit: BAD_USER_INPUT, without data and path', async () => {
    const document = new TypedDocumentString<unknown, { readonly filter: unknown }>(
      'query Alerts($filter: AlertFilter) { alerts(filter: $filter) { id } }',
    );
    const error = await errorOf(client.request(document, { filter: { source: 'TILES' } }));
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT', data: null });
    expect(error.problems[0]).not.toHaveProperty('path');
  });
  it('of what is refused with a reason: no error, but userErrors', async () => {
    const input = { alertId: alerts.errorRate, interval: 'never' };
    const { updateAlert } = await client.request(UpdateAlertDocument, { input });
    expect(updateAlert).toMatchObject({ alert: null, userErrors: [{ code: 'REJECTED' }] });
  });

  it.each([
    ['{ alerts { id ', 'GRAPHQL_PARSE_FAILED', 400],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED', 400],
    [`{ ${'alerts { dashboard { '.repeat(9)} id ${'} }'.repeat(9)} }`, 'LIMIT_EXCEEDED', 400],
    [`{ __typename } ${' '.repeat(300_000)}`, 'REQUEST_ENTITY_TOO_LARGE', 413],
  ])('of a document that is not executed: %.20s… %s', async (text, code, status) => {
    const error = await errorOf(client.request(ownQuery(text)));
    expect(error).toMatchObject({ code, status, data: null, requestId: expect.any(String) });
  });

  it('of a limit: its name and how much it allows', async () => {
    const error = await errorOf(client.request(ownQuery(`{ __typename ${' '.repeat(300_000)} }`)));
    expect(error.problems).toMatchObject([{ limit: 'bodyBytes', allowed: 262_144 }]);
  });

  it('execute gives what there is beside the errors', async () => {
    const both = ownQuery(
      `{ alert(id: "${alerts.latency}") { name } gone: alert(id: "gone") { name } lost: dashboard(id: "lost") { name } }`,
    );
    const answer = await client.execute(both);
    expect(answer).toMatchObject({
      data: { alert: { name: 'API latency' }, gone: null, lost: null },
      errors: [{ code: 'NOT_FOUND' }, { code: 'NOT_FOUND' }],
      requestId: expect.any(String),
      status: 200,
    });
    const error = await errorOf(client.request(both));
    expect(error.data).toEqual(answer.data);
    expect(error.message).toBe(`${error.problems[0]?.message} (and 1 more)`);
  });

  it('execute gives an empty list where there are none', async () => {
    const explaining = clientWith({ headers: { 'sluice-explain': '1' } });
    const { errors, extensions } = await explaining.execute(AlertDocument, { id: alerts.latency });
    expect(errors).toEqual([]);
    expect(extensions).not.toBeUndefined();
  });
});

it('of an upstream that asks for patience: RATE_LIMITED, with the seconds', async () => {
  const limited = { ...json({ message: 'slow down' }, 429), headers: { 'retry-after': '9' } };
  const stack = await startStack({ management: () => limited, observability: () => limited });
  const client = createClient({ url: stack.url, observability: 'Bearer token' });
  const error = await errorOf(client.request(DashboardsDocument));
  await stack.close();
  expect(error.problems).toMatchObject([
    { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 9 },
  ]);
});
