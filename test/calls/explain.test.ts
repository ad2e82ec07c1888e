import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { createCallLog } from '../../src/upstream/events/explain.ts';
import { credentials, type Stack, startSandboxStack } from '../support/harness.ts';
import { readOf } from '../support/upstream/calls.ts';

const { organizationId, services } = world.management.main;
const alerts = Object.values(world.observability.main.alerts);

describe('the request header Sluice-Explain', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  afterEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  const ask = (document: string, header = '1') =>
    stack.query(document, { headers: { 'sluice-explain': header } });

  it('lists every upstream call in extensions.upstream, with its round and whether it was shared', async () => {
    const { body } = await ask(`{
      organization(id: "${organizationId}") { name services { id pipes { name } } }
      again: organization(id: "${organizationId}") { createdAt }
      gone: alert(id: "nothing") { name }
    }`);
    const organization = `/v1/organizations/${organizationId}`;
    const call = (
      name: string,
      operation: string,
      path: string,
      round: number,
      shared = false,
    ) => ({
      name,
      operation,
      method: 'GET',
      path,
      status: 200,
      milliseconds: expect.any(Number),
      round,
      shared,
      waitedMilliseconds: 0,
      cache: 'miss',
      ageSeconds: null,
    });
    const listed: { path: string }[] = body.extensions.upstream;
    expect(listed.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual(
      [
        call('management', 'getOrganization', organization, 1, true),
        call('management', 'listServices', `${organization}/services`, 1),
        ...Object.values(services).map((id) =>
          call('management', 'listPipes', `${organization}/services/${id}/pipes`, 2),
        ),
        { ...call('observability', 'getAlert', '/api/v2/alerts/nothing', 1), status: 404 },
      ].toSorted((a, b) => a.path.localeCompare(b.path)),
    );
    expect(listed).toHaveLength(stack.calls.length);
    expect(Object.keys(body.extensions)).toEqual(['upstream', 'budget']);
    expect(body.extensions.budget).toEqual({ management: null, observability: null });
  });

  it('calls a list shared that several things are found in', async () => {
    const { body } = await ask(
      `{ a: alert(id: "${alerts[0]}") { name } b: alert(id: "${alerts[1]}") { name } }`,
    );
    expect(body.extensions.upstream).toEqual([
      expect.objectContaining({ operation: 'listAlerts', status: 200, round: 1, shared: true }),
    ]);
  });

  it('calls no read shared for having been started before its field', async () => {
    const ids = `organizationId: "${organizationId}", serviceId: "${services.production}"`;
    const sharedOf = async (document: string) => {
      const { body } = await ask(document);
      const calls: { operation: string; shared: boolean }[] = body.extensions.upstream;
      return Object.fromEntries(calls.map(({ operation, shared }) => [operation, shared]));
    };
    expect(
      await sharedOf(`{ organization(id: "${organizationId}") {
        name service(id: "${services.production}") { name pipes { name } }
      } }`),
    ).toEqual({ getOrganization: false, getService: false, listPipes: false });
    expect(
      await sharedOf(`{
        a: service(${ids}) { name pipes { name } } b: service(${ids}) { name pipes { id } }
      }`),
    ).toEqual({ getService: true, listPipes: true });
  });

  it('tells of writes, and of nothing where no call was made', async () => {
    const stop = `mutation { stopPipe(input: {organizationId: "${organizationId}",
      serviceId: "${services.production}", pipeId: "${world.management.main.pipes.orders}"})
      { pipe { state service { name } } } }`;
    const { body } = await ask(stop);
    expect(
      body.extensions.upstream.map(({ method, round }: { method: string; round: number }) => [
        method,
        round,
      ]),
    ).toEqual([
      ['PATCH', 1],
      ['GET', 2],
    ]);
    expect((await ask('{ __typename }')).body.extensions.upstream).toEqual([]);
  });

  it('shows no header and no body', async () => {
    const { text } = await ask(`{ organization(id: "${organizationId}") { name } }`);
    const { credentials: known } = await import('../../sandbox/world/credentials.ts');
    expect(text).not.toContain(known.management.admin.header);
    expect(text).not.toMatch(/authorization|Basic|Bearer/i);
  });

  it('does nothing with another value, or without the header', async () => {
    expect((await ask('{ __typename }', '0')).body.extensions).toBeUndefined();
    expect((await stack.query('{ __typename }')).body.extensions).toBeUndefined();
  });
});

it('does nothing where it is switched off', async () => {
  const stack = await startSandboxStack({ config: { explain: false } });
  const { body } = await stack.query('{ organizations { name } }', {
    headers: { ...credentials, 'sluice-explain': '1' },
  });
  expect(body.extensions).toBeUndefined();
  await stack.close();
});

describe('the rounds of a call log', () => {
  it('count the longest chain of calls that ended before the next began', () => {
    let time = 0;
    const log = createCallLog(() => time);
    const at = (moment: number) => {
      time = moment;
      const call = readOf(undefined, { path: `/${moment}` });
      log.hear({ kind: 'sent', call });
      return (status?: number) =>
        log.hear({ kind: 'ended', call, milliseconds: 0, ...(status && { status }) });
    };
    const first = at(0);
    const beside = at(1);
    time = 5;
    first(200);
    const second = at(6);
    time = 9;
    second(200);
    beside(200);
    const third = at(10);
    time = 11;
    third();
    expect(log.list().map(({ path, round, status }) => [path, round, status])).toEqual([
      ['/0', 1, 200],
      ['/1', 1, 200],
      ['/6', 2, 200],
      ['/10', 3, null],
    ]);
  });
});

describe('a call log', () => {
  it('calls a read shared that is used again before it is sent, each time that it is sent', () => {
    const log = createCallLog();
    const call = readOf();
    log.hear({ kind: 'repeated', call: readOf(), first: call });
    for (const status of [503, 200]) {
      const sent = { ...call };
      log.hear({ kind: 'sent', call: sent });
      log.hear({ kind: 'ended', call: sent, milliseconds: 0, status });
    }
    expect(log.list().map(({ shared, status }) => [shared, status])).toEqual([
      [true, 503],
      [true, 200],
    ]);
  });

  it('tells the status of a read that is another request’s, where that began', () => {
    let time = 5;
    const log = createCallLog(() => time);
    log.hear({ kind: 'sent', call: readOf() });
    time = 9;
    log.hear({ kind: 'joined', call: readOf(), since: 3, answer: { status: 201, sentAt: 4 } });
    expect(log.list()).toMatchObject([
      { shared: true, status: 201, milliseconds: 6, waitedMilliseconds: 1 },
      { shared: false, status: null, milliseconds: null },
    ]);
  });

  it('has the status of an older failure that is shown', () => {
    const log = createCallLog();
    log.hear({ kind: 'memory', call: readOf(), state: 'fresh', ageMs: 2500, status: 404 });
    expect(log.list()).toMatchObject([{ cache: 'fresh', status: 404, ageSeconds: 2 }]);
  });
});
