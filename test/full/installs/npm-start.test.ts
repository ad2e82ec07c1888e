import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answered, run, sendAlerts, startMain, until } from '../../support/process/run-main.ts';

type Send = (started: Pick<ReturnType<typeof run>, 'child' | 'signalGroup'>) => void;

const home = { HOME: process.env.HOME ?? '', npm_config_update_notifier: 'false' };

/** The gateway through npm, with one request under way that waits for its upstream. */
const start = async () => {
  const held = Promise.withResolvers<ServerResponse>();
  const started = await startMain(held.resolve, home, ['npm', 'start']);
  const asked = started.ask('{ alerts { name } }').catch(() => 'cut off');
  const response = await held.promise;
  const isClosed = () => fetch(started.url).then(...[() => false, () => true]);
  return { ...started, asked, isClosed, release: () => sendAlerts(response) };
};

// Signals to processes are POSIX's.
describe.skipIf(process.platform === 'win32')('npm start', () => {
  it.each<readonly [string, Send]>([
    ['SIGTERM to npm alone', ({ child }) => child.kill('SIGTERM')],
    ['SIGINT to npm alone', ({ child }) => child.kill('SIGINT')],
    ['SIGTERM to all of its processes', ({ signalGroup }) => signalGroup('SIGTERM')],
    ['SIGINT to all of its processes, as Ctrl-C does', ({ signalGroup }) => signalGroup('SIGINT')],
  ])('on %s answers what is under way, and leaves nothing', async (_, send) => {
    const started = await start();
    send(started);
    await started.logged('stopping');
    await expect.poll(started.isClosed).toBe(true);
    // Room for a second signal: from npm, or on account of its death. It would cut the answer off.
    await pause(600);
    started.release();
    expect(await started.asked).toEqual(answered);
    await started.ended;
    expect(started.lines('stopped')).toHaveLength(1);
  });

  it.each([
    ['SIGTERM', 'SIGINT', 0],
    // The same one would count as the first, which npm passes on, until then.
    ['SIGINT', 'SIGINT', 600],
  ] as const)('on %s and then %s to all of its processes ends at once', async (...signals) => {
    const [first, second, milliseconds] = signals;
    const started = await start();
    started.signalGroup(first);
    if (milliseconds > 0) await started.logged('stopping');
    await pause(milliseconds);
    started.signalGroup(second);
    await started.ended;
    expect(await started.asked).toBe('cut off');
    expect(await started.isClosed()).toBe(true);
    expect(started.lines('stopped')).toEqual([]);
  });

  it.each<readonly [string, string, Send]>([
    ['demo', 'SIGTERM to npm alone', ({ child }) => child.kill('SIGTERM')],
    ['demo', 'Ctrl-C', ({ signalGroup }) => signalGroup('SIGINT')],
    ['sandbox', 'SIGTERM to npm alone', ({ child }) => child.kill('SIGTERM')],
  ])('npm run %s ends on %s', async (script, _, send) => {
    const ports = { SANDBOX_MANAGEMENT_PORT: '0', SANDBOX_OBSERVABILITY_PORT: '0' };
    const started = run({ ...home, ...ports, PORT: '0' }, ['npm', 'run', script]);
    await until(() => started.output.text.includes('Stop with Ctrl-C.'));
    send(started);
    // Comes once none of its processes is left.
    await started.ended;
  });
});
