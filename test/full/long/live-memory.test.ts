import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startMain, until } from '../../support/process/run-main.ts';
import { type Subscription, subscribe } from '../../support/subscribe.ts';

const [first, all] = [300, 1000];
/** Of each further subscriber, in megabytes; docs/operating.md names what it usually is. */
const most = 0.4;

/** Resident memory of a process, in megabytes. */
const megabytesOf = (pid = 0): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

it.runIf(process.platform === 'linux')(
  'a subscriber of a list that a thousand share costs little memory, and no call of its own',
  async ({ annotate }) => {
    const world = { state: 'OK', calls: 0 };
    const gateway = await startMain(
      (response) => {
        world.calls += 1;
        const data = Array.from({ length: 100 }, (_, index) => ({
          ...{ id: `alert-${index}`, name: `alert number ${index}`, state: world.state },
          ...{ threshold: index, message: 'x'.repeat(200) },
        }));
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
      },
      // A fifth may be streams of one credential.
      { MAX_CONNECTIONS: String(5 * all) },
    );
    const query = 'subscription { alerts { id name state threshold message } }';
    const streams: Subscription[] = [];
    /** Adds subscribers up to this number, and waits until all know the newest state. */
    const subscribeUntil = async (count: number): Promise<void> => {
      while (streams.length < count) {
        const some = Array.from({ length: Math.min(50, count - streams.length) }, () =>
          subscribe(gateway.url, query),
        );
        streams.push(...(await Promise.all(some)));
      }
      world.state = `after ${count}`;
      const know = ({ events }: Subscription): boolean =>
        events.at(-1)?.data.alerts[0].state === world.state;
      await until(() => streams.every(know));
    };

    // Before its first answer a credential may have four streams.
    streams.push(await subscribe(gateway.url, query));
    await streams[0]?.event(1);
    await subscribeUntil(first);
    const before = megabytesOf(gateway.child.pid);
    await subscribeUntil(all);
    const after = megabytesOf(gateway.child.pid);
    const each = (after - before) / (all - first);
    await annotate(`${before.toFixed(0)} MB, ${after.toFixed(0)} MB: ${each.toFixed(2)} MB each`);
    expect(each).toBeLessThan(most);
    // Polls come every three seconds at most, whoever subscribes.
    expect(world.calls).toBeLessThan(all / 10);
    for (const stream of streams) stream.leave();
    await until(() => gateway.lines('subscription').length === all);
  },
);
