import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { run, until } from '../../support/process/run-main.ts';
import { serve } from '../../support/servers.ts';

const own = 'Bearer of-a-team';
const dashboards = Array.from({ length: 8 }, (_, index) => ({
  id: `d${index}`,
  name: 'of the team',
}));
const page = `{ ${dashboards.map(({ id }) => `${id}: dashboard(id: "${id}") { name }`).join(' ')} }`;

/** An upstream that answers the team, and lets calls wait whose credentials it does not know. */
const startUpstream = async () => {
  const invented = { waiting: 0, ended: 0 };
  const { origin } = await serve(({ headers, url = '' }, response) => {
    if (headers.authorization === own) {
      const one = dashboards.find(({ id }) => url.endsWith(`/${id}`));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: one ?? dashboards }));
    } else {
      invented.waiting += 1;
      response.once('close', () => {
        invented.ended += 1;
      });
    }
  });
  return { origin, invented };
};

it('fifty requests a second with invented credentials take nothing from one that has had a success, after a restart neither', async () => {
  const { origin, invented } = await startUpstream();
  const leaving = new AbortController();
  const start = async (): Promise<ReturnType<typeof run> & { readonly url: string }> => {
    const gateway = run({
      ...{ PORT: '0', MANAGEMENT_URL: origin, OBSERVABILITY_URL: origin },
      // Longer than the test takes: no connection comes free meanwhile.
      OPERATION_TIMEOUT_MS: '300000',
    });
    const { port } = await gateway.logged('listening');
    return { ...gateway, url: `http://127.0.0.1:${port}/graphql` };
  };
  let gateway = await start();
  const ask = async (query: string, authorization: string) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'cache-control': 'no-cache' },
      body: JSON.stringify({ query }),
      signal: leaving.signal,
    });
    return response.json();
  };
  const expectPages = async (): Promise<void> => {
    for (let asked = 0; asked < 3; asked += 1) {
      const { data, errors } = await ask(page, own);
      expect(errors).toBeUndefined();
      expect(Object.values(data)).toEqual(Array(8).fill({ name: 'of the team' }));
    }
  };

  let flood = 0;
  const flooding = (async () => {
    while (!leaving.signal.aborted) {
      flood += 1;
      ask('{ alerts { name } }', `Bearer invented-${flood}`).catch((error: unknown) => {
        // The gateway ends in between, and at the end nobody waits any longer.
        if (!(error instanceof TypeError || leaving.signal.aborted)) throw error;
      });
      await pause(20);
    }
  })();

  await expectPages();
  // All connections that are not for proven credentials are taken, and a hundred calls wait.
  await until(() => invented.waiting >= 48 && flood >= 148);
  await expectPages();
  expect(invented.ended).toBe(0);

  gateway.child.kill('SIGKILL');
  await gateway.ended;
  await until(() => invented.ended === invented.waiting);
  const before = { flood, ...invented };
  gateway = await start();
  await expectPages();
  await until(() => invented.waiting >= before.waiting + 48 && flood >= before.flood + 148);
  await expectPages();
  expect(invented.ended).toBe(before.ended);
  leaving.abort();
  await flooding;
});
