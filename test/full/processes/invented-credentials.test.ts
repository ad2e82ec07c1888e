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

/** An upstream that is slow to refuse credentials it does not know, and answers the team. */
const startUpstream = async () => {
  const counts = { invented: 0 };
  const { origin } = await serve(({ headers, url = '' }, response) => {
    const isOwn = headers.authorization === own;
    if (!isOwn) counts.invented += 1;
    const one = dashboards.find(({ id }) => url.endsWith(`/${id}`));
    const answer = isOwn ? { data: one ?? dashboards } : { message: 'Unauthorized' };
    const timer = setTimeout(
      () => {
        response.writeHead(isOwn ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      },
      isOwn ? 50 : 10_000,
    );
    response.once('close', () => clearTimeout(timer));
  });
  return { origin, counts };
};

it('fifty requests a second with invented credentials take nothing from one that has had a success, after a restart neither', async () => {
  const { origin, counts } = await startUpstream();
  const leaving = new AbortController();
  const start = async (): Promise<ReturnType<typeof run> & { readonly url: string }> => {
    const gateway = run({ PORT: '0', MANAGEMENT_URL: origin, OBSERVABILITY_URL: origin });
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
  await until(() => counts.invented >= 48 && flood >= 148);
  await expectPages();

  gateway.child.kill('SIGKILL');
  await gateway.ended;
  gateway = await start();
  await expectPages();
  const floodBefore = flood;
  await until(() => flood >= floodBefore + 148);
  await expectPages();
  leaving.abort();
  await flooding;
});
