import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../../support/random/random.ts';
import { subscribe } from '../../support/subscribe.ts';
import { withIds } from '../../support/world/ids.ts';
import { credentialsOf, foreignIn } from './load.ts';

const service = withIds('organizationId: "organization-1", serviceId: "service-1"');

const documents = [
  'subscription { alerts { id name state } }',
  'subscription { dashboard(id: "d1") { name tiles { name } alerts { name state } } }',
  `subscription { service(${service}) { name } }`,
  `subscription { pipes(${service}) { name } }`,
] as const;

/** So many streams belong to one caller. */
const streamsOfCaller = 2;
/** How long a client waits before it subscribes again, and how long it stays, in milliseconds at most. */
const mostPauseMs = 2000;
const mostStayMs = 60_000;

interface StreamsOptions {
  readonly url: string;
  readonly streams: number;
  readonly seed: number;
}

/** Clients that subscribe, and subscribe again whenever a stream has ended or they have left it. */
export const createStreams = ({ url, streams, seed }: StreamsOptions) => {
  const random = createRandom(seed);
  const counts = { opened: 0, events: 0, ended: 0, left: 0 };
  const faults: string[] = [];
  let closing = new AbortController();
  let clients: Promise<void>[] = [];

  const watch = async (caller: string, signal: AbortSignal): Promise<void> => {
    const stream = await subscribe(url, random.pick(documents), { headers: credentialsOf(caller) });
    counts.opened += 1;
    const leave = (): void => {
      counts.left += 1;
      stream.leave();
    };
    const staying = setTimeout(leave, random.below(mostStayMs));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    await stream.ended;
    clearTimeout(staying);
    signal.removeEventListener('abort', leave);
    if (stream.isComplete) counts.ended += 1;
    counts.events += stream.events.length;
    const { statusCode } = stream.response;
    const text = JSON.stringify(stream.events);
    if (statusCode !== 200) faults.push(`a stream got status ${statusCode}`);
    if (text.includes('INTERNAL_SERVER_ERROR')) faults.push(text.slice(0, 1000));
    const foreign = foreignIn(text, caller);
    if (foreign !== undefined) faults.push(foreign);
  };

  const keep = async (index: number, signal: AbortSignal): Promise<void> => {
    const caller = `caller-${Math.floor(index / streamsOfCaller)}`;
    while (!signal.aborted && faults.length < 10) {
      await pause(random.below(mostPauseMs));
      if (signal.aborted) return;
      try {
        await watch(caller, signal);
      } catch (error) {
        faults.push(String(error));
      }
    }
  };

  return {
    counts,
    faults,
    open: (): void => {
      const { signal } = closing;
      clients = Array.from({ length: streams }, (_, index) => keep(index, signal));
    },
    /** Has all leave, and resolves when they have. */
    leave: async (): Promise<void> => {
      closing.abort();
      await Promise.all(clients);
      closing = new AbortController();
    },
  };
};
