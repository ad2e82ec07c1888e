import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { drawPort } from '../../support/ports.ts';
import { answered, listen, run, sendAlerts } from '../../support/process/run-main.ts';
import { subscribe } from '../../support/subscribe.ts';

const start = async (
  command?: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
) => {
  const upstream = await listen(sendAlerts);
  const port = drawPort();
  const urls = { MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url };
  const gateway = run({ PORT: String(port), ...urls, ...env }, command);
  const url = `http://127.0.0.1:${port}`;
  const askOnce = async (): Promise<unknown> => {
    const response = await fetch(`${url}/graphql?query={alerts{name}}`, {
      headers: { authorization: 'Bearer token', 'x-request-id': 'caller-7' },
    });
    return response.json();
  };
  /** Asks so often, fifty at a time. */
  const ask = async (requests: number): Promise<void> => {
    for (let count = 0; count < requests; count += 50) {
      const all = await Promise.all(Array.from({ length: 50 }, askOnce));
      expect(all).toEqual(all.map(() => answered));
    }
  };
  // The log, which is out of order here, does not tell that it listens.
  const listens = async (): Promise<boolean> =>
    (await fetch(`${url}/healthz`).catch(() => undefined))?.ok ?? false;
  await expect.poll(listens).toBe(true);
  return { ...gateway, url, listens, askOnce, ask };
};

describe.skipIf(process.platform !== 'linux')('a gateway answers, and ends when told to,', () => {
  it('a gateway answers, and ends when told to, on a full disk', async () => {
    const command = ['sh', '-c', 'exec "$0" src/main.ts > /dev/full', process.execPath] as const;
    const gateway = await start(command);
    // More than one batch of lines.
    await gateway.ask(500);
    gateway.signalGroup('SIGTERM');
    expect(await gateway.ended).toEqual({ code: 0, signal: null, text: '', errors: '' });
  });

  it('a gateway answers, and ends when told to, where the reader of its log has gone', async () => {
    const gateway = await start();
    gateway.child.stdout.destroy();
    await gateway.ask(500);
    const exited = once(gateway.child, 'exit');
    gateway.signalGroup('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('a gateway loses no line where its reader is slow', async () => {
    const gateway = await start();
    // Node itself opens standard output for the first stream. From then on no write waits for a reader.
    const stream = await subscribe(`${gateway.url}/graphql`, 'subscription { alerts { name } }');
    await stream.event(1);
    gateway.child.stdout.pause();
    // Three times what fits in between.
    await gateway.ask(1000);
    gateway.child.stdout.resume();
    await expect.poll(() => gateway.lines('operation').length).toBe(1000);
    gateway.child.stdout.pause();
    await gateway.ask(1000);
    gateway.signalGroup('SIGTERM');
    // Its last line comes after that.
    await stream.ended;
    await expect.poll(gateway.listens).toBe(false);
    gateway.child.stdout.resume();
    await gateway.ended;
    expect(gateway.lines('operation')).toHaveLength(2000);
    expect(gateway.lines('stopped')).toHaveLength(1);
  });
});

it('LOG_FORMAT=pretty shows all that is known of an operation', async () => {
  const gateway = await start(undefined, { LOG_FORMAT: 'pretty' });
  await gateway.askOnce();
  await expect.poll(() => gateway.output.text).toMatch(/callsLeft/);
  const text = stripVTControlCharacters(gateway.output.text).replaceAll(/["\s]/g, '');
  expect(text).toMatch(/^[^{]*INFO.*listening/);
  expect(text).toMatch(/requestId:caller-7.*upstreamCalls:1.*waitedMilliseconds:\d/);
  for (const member of ['kept:{fresh:0,stale:0}', 'callsLeft:{management:null,observability:99}']) {
    expect(text).toContain(member);
  }
});
