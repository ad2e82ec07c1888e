import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { type Answer, data, json, result, type Stack, startStack } from '../../support/harness.ts';
import { asJson } from '../../support/http/operations.ts';
import { refusingUrl } from '../../support/http/raw.ts';
import { sendSized, startHalfRequest } from '../../support/http/requests.ts';
import { answered, listen, run, sendAlerts, until } from '../../support/process/run-main.ts';

const readyUrl = (url: string): URL => new URL('/readyz', url);

const probe = async (url: string | URL) => {
  const answer = await sendSized(url);
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: (await answer.json()) as unknown,
  };
};

const states = (
  management: string,
  observability: string,
  status = 'ready',
  uncaughtErrors = 0,
) => ({
  status,
  upstreams: { management: { breaker: management }, observability: { breaker: observability } },
  uncaughtErrors,
});

const readManagement = '{ organizations { name } }';
const readObservability = '{ alerts { name } }';
/** Reads of other paths: failures of one path alone open no breaker. */
const readElsewhere =
  '{ organization(id: "0a9a0000-0000-4000-8000-00000000000a") { name } dashboards { name } }';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.close();
  stack = undefined;
});

const start = async (
  backends: Partial<
    Pick<Parameters<typeof startStack>[0], 'management' | 'observability' | 'config'>
  >,
): Promise<Stack> => {
  stack = await startStack({
    management: () => result([]),
    observability: () => data([]),
    ...backends,
  });
  return stack;
};

/** Asks this often, one after the other; each with a credential of its own, so that nothing is shared. */
const ask = async ({ query }: Stack, document: string, times: number) => {
  const codes: unknown[] = [];
  for (let time = 0; time < times; time += 1) {
    const headers = {
      'management-authorization': `Basic ${btoa(`caller:${time}`)}`,
      'observability-authorization': `Bearer caller-${time}`,
    };
    const { body } = await query(document, { headers });
    codes.push(body.errors?.[0]?.extensions.code);
  }
  return codes;
};

describe('GET /healthz', () => {
  it('is answered without any upstream call, whatever the upstreams do', async () => {
    const { url, calls } = await start({ management: () => json({}, 500) });
    expect((await probe(new URL('/healthz', url))).status).toBe(200);
    expect(calls).toEqual([]);
  });
});

describe('GET /readyz', () => {
  it('says that the gateway is ready, and makes no upstream call', async () => {
    const { url, calls } = await start({});
    expect(await probe(readyUrl(url))).toEqual({
      status: 200,
      type: expect.stringMatching(/^application\/json\b/),
      body: states('closed', 'closed'),
    });
    expect(calls).toEqual([]);
  });

  it('says so after requests that succeeded, too', async () => {
    const { url, ...rest } = await start({});
    await ask({ url, ...rest }, readManagement, 3);
    await ask({ url, ...rest }, readObservability, 3);
    expect((await probe(readyUrl(url))).body).toEqual(states('closed', 'closed'));
  });

  it('needs no credential, and shows none, nor any URL', async () => {
    const opened = await start({ observability: () => json({ message: 'canary' }, 502) });
    await ask(opened, readObservability, 12);
    const text = await (await sendSized(readyUrl(opened.url), { headers: asJson })).text();
    expect(text).not.toMatch(/canary|127\.0\.0\.1|token|Basic|Bearer|http/);
  });

  const failing: readonly (readonly [name: string, answer: () => Answer])[] = [
    ['502', () => json({}, 502)],
    ['503', () => json({}, 503)],
    ['504', () => json({}, 504)],
  ];
  it.each(failing)(
    'shows the breaker of an upstream that answers %s, and is ready',
    async (_, answer) => {
      const opened = await start({ management: answer });
      await ask(opened, readElsewhere, 1);
      await ask(opened, readManagement, 10);
      expect(await probe(readyUrl(opened.url))).toMatchObject({
        status: 200,
        body: states('open', 'closed'),
      });
      const made = opened.calls.length;
      expect(await ask(opened, readManagement, 1)).toEqual(['UPSTREAM_UNAVAILABLE']);
      expect(opened.calls).toHaveLength(made);
      // The other one is none the worse for it.
      expect(await ask(opened, readObservability, 1)).toEqual([undefined]);
    },
  );

  it('shows the breaker of an upstream that cannot be reached, and is ready', async () => {
    const opened = await start({ config: { observabilityUrl: await refusingUrl() } });
    await ask(opened, readObservability, 10);
    expect(await probe(readyUrl(opened.url))).toMatchObject({
      status: 200,
      body: states('closed', 'open'),
    });
  });

  it('shows both', async () => {
    const opened = await start({
      management: () => json({}, 502),
      observability: () => json({}, 502),
    });
    await ask(opened, readElsewhere, 1);
    await ask(opened, '{ organizations { name } alerts { name } }', 10);
    expect(await probe(readyUrl(opened.url))).toMatchObject({
      status: 200,
      body: states('open', 'open'),
    });
  });

  it.each([400, 401, 403, 404, 409, 422])(
    'shows a closed one however often an upstream answers %s',
    async (status) => {
      const closed = await start({
        management: () => json({ status }, status),
        observability: () => json({}, status),
      });
      await ask(closed, '{ organizations { name } alerts { name } }', 25);
      expect((await probe(readyUrl(closed.url))).body).toEqual(states('closed', 'closed'));
    },
  );

  it('shows a closed one after nine failures and a success, again and again', async () => {
    let count = 0;
    const closed = await start({
      observability: () => {
        count += 1;
        return count % 10 === 0 ? data([]) : json({}, 500);
      },
    });
    await ask(closed, readObservability, 30);
    expect((await probe(readyUrl(closed.url))).body).toEqual(states('closed', 'closed'));
  });

  it('says that the gateway is draining from the moment that it is told to stop', async () => {
    const { close, port } = await startGateway();
    const half = await startHalfRequest(port, '/readyz');
    const closing = close();
    const answer = await half.finish();
    expect([answer.status, answer.body]).toEqual([503, states('closed', 'closed', 'draining')]);
    for (const line of ['x-content-type-options: nosniff', 'referrer-policy: no-referrer']) {
      expect(answer.head).toContain(line);
    }
    expect(answer.head).toContain(
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    );
    await closing;
  });
});

const env = (backend: string) => ({
  MANAGEMENT_URL: backend,
  OBSERVABILITY_URL: backend,
  PORT: '0',
});

describe('the process', () => {
  it('is alive and draining from SIGTERM on, while it finishes what runs', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const backend = await listen(held.resolve);
    const gateway = run(env(backend.url));
    const { port, path } = await gateway.logged('listening');
    const ready = await startHalfRequest(Number(port), '/readyz');
    const healthy = await startHalfRequest(Number(port), '/healthz');
    const asked = fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: asJson,
      body: JSON.stringify({ query: readObservability }),
    });
    const response = await held.promise;
    gateway.child.kill('SIGTERM');
    await gateway.logged('stopping');
    const answer = await ready.finish();
    expect([answer.status, answer.body]).toEqual([503, states('closed', 'closed', 'draining')]);
    expect((await healthy.finish()).status).toBe(200);
    sendAlerts(response);
    expect(await (await asked).json()).toEqual(answered);
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null });
  });

  /** Runs a statement, with nobody to catch what it throws, whenever a signal comes. */
  const startWith = async (statement: string, backend: string) => {
    const source = `process.on('SIGURG', () => { setImmediate(() => { ${statement} }) })`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(source)}`;
    const gateway = run(env(backend), [process.execPath, preload, 'src/main.ts']);
    const { port, path } = await gateway.logged('listening');
    const origin = `http://127.0.0.1:${port}`;
    const errorLines = () =>
      gateway.output.text
        .split('\n')
        .filter((line) => /"level":("error"|"fatal"|50|60)/.test(line));
    const asking = async () => {
      const answer = await sendSized(`${origin}${path}`, {
        method: 'POST',
        headers: asJson,
        body: JSON.stringify({ query: readObservability }),
      });
      return (await answer.json()) as unknown;
    };
    return { ...gateway, port: Number(port), origin, errorLines, asking };
  };

  const posix = it.skipIf(process.platform === 'win32');

  posix.each([
    ['an error', 'Promise.reject(new Error("can" + "ary"))'],
    ['what is no error', 'Promise.reject("can" + "ary")'],
  ])(
    'counts and logs a rejection with %s that nobody handled, and goes on',
    async (_, statement) => {
      const backend = await listen(sendAlerts);
      const gateway = await startWith(statement, backend.url);
      for (const count of [1, 2]) {
        gateway.child.kill('SIGURG');
        await until(() => gateway.errorLines().length >= count);
        expect(await probe(`${gateway.origin}/readyz`)).toMatchObject({
          status: 200,
          body: states('closed', 'closed', 'ready', count),
        });
      }
      expect(await gateway.asking()).toEqual(answered);
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, errors: '' });
      expect(gateway.errorLines()).toHaveLength(2);
      expect(gateway.output.text).not.toContain('canary');
    },
  );

  posix(
    'counts and logs an exception that nobody caught, answers what runs, and ends with 1',
    async () => {
      const held = Promise.withResolvers<ServerResponse>();
      const backend = await listen(held.resolve);
      const gateway = await startWith('throw new Error("can" + "ary")', backend.url);
      const half = await startHalfRequest(gateway.port, '/readyz');
      const asked = gateway.asking();
      const response = await held.promise;
      gateway.child.kill('SIGURG');
      await until(() => gateway.errorLines().length >= 1);
      expect((await half.finish()).body).toEqual(states('closed', 'closed', 'draining', 1));
      sendAlerts(response);
      expect(await asked).toEqual(answered);
      const { code, text, errors } = await gateway.ended;
      expect([code, text + errors]).toEqual([1, expect.not.stringContaining('canary')]);
    },
  );
});
