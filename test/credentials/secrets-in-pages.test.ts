import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { readTabs } from '../../src/graphiql/start.ts';
import type { GraphiqlStart } from '../../src/plugins/graphiql.ts';
import { startGateway } from '../support/gateway.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { type Answering, json, type Stack, startStack, wide } from '../support/harness.ts';
import {
  basic,
  bearer,
  leaksIn,
  plainOperations,
  secretWrites,
} from '../support/hostile/secret-operations.ts';
import { authorizationOf } from '../support/http/raw.ts';

const pageOf = async (url: string | URL): Promise<string> => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  return page.text();
};

describe('the page of GraphiQL', () => {
  const start = async (options?: GraphiqlStart) => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const { url } = await startGateway(
      { MANAGEMENT_URL: sandbox.managementUrl, OBSERVABILITY_URL: sandbox.observabilityUrl },
      options && { graphiqlStart: options },
    );
    return { sandbox, url };
  };

  /** Every credential that the sandbox takes, in every form it could be shown in. */
  const secretsOf = ({ credentials }: Awaited<ReturnType<typeof startSandbox>>): string[] => [
    ...Object.values(credentials.management).flatMap(({ keyId, keySecret, header }) => [
      keyId,
      keySecret,
      header,
    ]),
    ...Object.values(credentials.observability).flatMap(({ token, header }) => [token, header]),
  ];

  it('of a plain gateway holds no credential, and nothing of the upstreams', async () => {
    const { sandbox, url } = await start();
    const page = await pageOf(url);
    expect(secretsOf(sandbox).filter((secret) => page.includes(secret))).toEqual([]);
    expect(page).not.toMatch(/sluice-explain/i);
    const ids = Object.values(graphiqlStart(sandbox).variables);
    expect(ids.filter((id) => page.includes(id))).toEqual([]);
    expect(page).not.toContain(sandbox.managementUrl);
    expect(page).not.toContain(sandbox.observabilityUrl);
  });

  it('of the demo holds its two credentials and every example with its values', async () => {
    const given = await startSandbox();
    onTestFinished(() => given.close());
    const management = given.credentials.management.admin.header;
    const observability = given.credentials.observability.main.header;
    const demo = graphiqlStart(given);
    const { url } = await start(demo);
    const page = await pageOf(url);
    const { defaultHeaders, defaultTabs } = startOf(page).options;
    expect(defaultHeaders).toContain(`"Management-Authorization": "${management}"`);
    expect(defaultHeaders).toContain(`"Observability-Authorization": "${observability}"`);
    expect(defaultHeaders).toContain('"Sluice-Explain": "1"');
    const tabs = await readTabs(demo.variables);
    expect(tabs).toHaveLength(4);
    expect(defaultTabs).toEqual(tabs.map((tab) => ({ ...tab, headers: defaultHeaders })));
    const others = secretsOf(given).filter(
      (secret) => !management.includes(secret) && !observability.includes(secret),
    );
    expect(others.filter((secret) => page.includes(secret))).toEqual([]);
  });
});

describe('after operations with secrets in them', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  const headers = { 'management-authorization': basic, 'observability-authorization': bearer };

  const answers: readonly (readonly [title: string, answering: Answering, failures: boolean])[] = [
    [
      'that succeeded',
      (call) => {
        const record = { id: 'x', name: 'y' };
        const list = /\/(?:pipes|alerts|dashboards)$/.test(call.path) && call.method === 'GET';
        return json({ status: 200, result: list ? [record] : record, data: list ? [] : record });
      },
      false,
    ],
    [
      'that were refused in the words of the request',
      (call) => {
        const words = `no ${authorizationOf(call)} ${call.body}`;
        return json({ status: 422, error: words, message: words }, 422);
      },
      false,
    ],
    [
      'that failed in the words of the request',
      (call) => json({ status: 500, error: `${authorizationOf(call)} ${call.body}` }, 500),
      true,
    ],
    [
      'whose answers could not be used',
      (call) => ({
        headers: { 'content-type': 'text/html', 'x-echo': authorizationOf(call) },
        body: `<p>${authorizationOf(call)} ${call.body}</p>`,
      }),
      true,
    ],
  ];

  it.each(answers)('%s, none is in the list of calls, the log or the page', async (_, ...row) => {
    const [answering, failures] = row;
    stack = await startStack({
      management: answering,
      observability: answering,
      config: wide,
    });
    for (const { name, document, variables } of [...secretWrites, ...plainOperations]) {
      const before = stack.calls.length;
      const { body } = await stack.query(document, {
        variables,
        headers: { ...headers, 'sluice-explain': '1' },
      });
      const explained = body.extensions.upstream;
      expect([name, explained.length]).toEqual([name, stack.calls.length - before]);
      expect(explained.length).toBeGreaterThan(0);
      for (const call of explained) {
        expect(Object.keys(call).sort()).toEqual([
          'ageSeconds',
          'cache',
          'method',
          'milliseconds',
          'name',
          'operation',
          'path',
          'round',
          'shared',
          'status',
          'waitedMilliseconds',
        ]);
      }
      expect(leaksIn(JSON.stringify(body.extensions))).toEqual([]);
    }
    expect(stack.calls.filter(({ body }) => leaksIn(body).length > 0)).toHaveLength(10);
    expect(leaksIn(stack.complaints())).toEqual([]);
    expect(stack.complaints() !== '').toBe(failures);
    expect(leaksIn(await pageOf(stack.url))).toEqual([]);
  });
});
