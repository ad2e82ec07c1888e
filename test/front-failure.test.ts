import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { createGateway } from '../src/server.ts';

it('says of a request that cannot be answered what happened, and closes its connection', async () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const write = (line: string): void => {
    const told = JSON.parse(line);
    if (told.msg === 'operation') throw new RangeError('secret-canary');
    lines.push(told);
  };
  const nowhere = 'http://127.0.0.1:9';
  const gateway = createGateway({
    config: readConfig({ MANAGEMENT_URL: nowhere, OBSERVABILITY_URL: nowhere }),
    log: createLog({ write }),
  });
  onTestFinished(() => gateway.close());
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const { port } = gateway.server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });
  await expect(asked).rejects.toThrow('fetch failed');
  const facts = {
    level: 50,
    time: expect.any(Number),
    kind: 'RangeError',
    at: expect.stringContaining('test/front-failure.test.ts'),
  };
  expect(lines).toEqual([
    { ...facts, requestId: expect.any(String), msg: 'unexpected error' },
    { ...facts, msg: 'a request is left without an answer' },
  ]);
});
