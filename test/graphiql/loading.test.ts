import { afterEach, expect, it, vi } from 'vitest';
import { loadFiles } from '../../src/graphiql/files.ts';
import { createLog } from '../../src/log.ts';
import { startGateway } from '../support/gateway.ts';
import { sendSized } from '../support/http/requests.ts';

vi.mock('../../src/graphiql/files.ts', { spy: true });
afterEach(() => {
  vi.mocked(loadFiles).mockClear();
});

const asPage = { headers: { accept: 'text/html' } };

it('the gateway loads GraphiQL when it is first asked for, and once', async () => {
  const { url } = await startGateway();
  const headers = { 'content-type': 'application/json' };
  await sendSized(url, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
  await sendSized(`${url}?query={__typename}`, { headers: { accept: 'application/json' } });
  await sendSized(`${url}/elsewhere`, asPage);
  expect(loadFiles).not.toHaveBeenCalled();
  await Promise.all(
    [url, `${url}/`, `${url}/graphiql/0/page.js`].map((at) => sendSized(at, asPage)),
  );
  await sendSized(url, asPage);
  expect(loadFiles).toHaveBeenCalledTimes(1);
});

it('the gateway says that GraphiQL cannot be loaded, logs it, and loads it once it can be', async () => {
  let log = '';
  const write = (line: string): void => {
    log += line;
  };
  const { url } = await startGateway({}, { log: createLog({ write }) });
  const failure = new RangeError('cnry');
  vi.mocked(loadFiles).mockRejectedValueOnce(failure).mockRejectedValueOnce(failure);
  for (const path of ['', '/graphiql/0/page.js']) {
    const answer = await sendSized(url + path, asPage);
    const { status, headers } = answer;
    expect([path, status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      ...[path, 500, 'no-store', 'text/plain; charset=utf-8'],
    ]);
    expect(await answer.text()).toMatch(/^GraphiQL cannot be loaded\. .*\n$/);
  }
  expect(log.match(/"kind":"RangeError".*cannot load GraphiQL/g)).toHaveLength(2);
  const answer = await sendSized(url, asPage);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('<title>Sluice</title>');
  expect(loadFiles).toHaveBeenCalledTimes(3);
});

it('the gateway is told where the process that packs the files cannot', async () => {
  vi.stubEnv('NODE_OPTIONS', '--no-such-option');
  await expect(loadFiles()).rejects.toThrow('The files of GraphiQL were not packed');
  vi.unstubAllEnvs();
  expect((await loadFiles()).size).toBe(7);
});
