import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { faultOfBody } from '../../support/random/fuzz-answer.ts';
import { createRandom } from '../../support/random/random.ts';
import { subscribe } from '../../support/subscribe.ts';
import { withIds } from '../../support/world/ids.ts';

const organization = withIds('organization-1');
const service = withIds('organizationId: "organization-1", serviceId: "service-1"');

/** What callers ask, each as often as it stands here. */
const documents = [
  '{ alerts { id name } }',
  '{ alert(id: "a1") { name dashboard { name tiles { name } } tile { name } } }',
  '{ dashboards { name tags tiles { name alerts { name } } alerts { name } } }',
  `{ organization(id: "${organization}") { name services { name } } }`,
  `{ service(${service}) { name pipes { name } backupConfiguration { backupPeriodInHours } } alerts { name } }`,
  '{ alerts(filter: {nameContains: "caller"}) { name threshold } }',
  `mutation { updateOrganization(input: {organizationId: "${organization}", name: "n"}) { organization { name } userErrors { message } } }`,
  'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } userErrors { message } } }',
  // Refused before any call.
  '{ alerts { name ',
  '{ nothing }',
  'query Needs($id: ID!) { alert(id: $id) { name } }',
] as const;

const subscriptions = [
  'subscription { alerts { id name state } }',
  'subscription { dashboard(id: "d1") { name tiles { name } alerts { name state } } }',
  `subscription { service(${service}) { name } }`,
  `subscription { pipes(${service}) { name } }`,
] as const;

/** What a caller sends: its name stands in both credentials, and in all that it is to find. */
const credentialsOf = (caller: string) => ({
  'management-authorization': `Basic ${btoa(`${caller}:secret`)}`,
  'observability-authorization': `Bearer ${caller}`,
});

/** What of another caller stands in a text. */
const foreignIn = (text: string, caller: string): string | undefined => {
  const names = [...text.matchAll(/"name":"(caller-\d+)"/g)].map(([, name]) => name);
  const other = names.find((name) => name !== caller);
  return other === undefined ? undefined : `${caller} got what is ${other}’s`;
};

/** Sends operations of many callers over a few connections, and looks at every answer. */
export const createLoad = (url: string, connections: number, callers: number, seed: number) => {
  const random = createRandom(seed);
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const counts = { operations: 0, data: 0, errors: 0, left: 0, codes: new Map<string, number>() };
  const faults: string[] = [];

  const sendOne = async (): Promise<void> => {
    counts.operations += 1;
    // A few callers ask for more than their limit allows.
    const caller = `caller-${random.below(random.chance(3) ? 10 : callers)}`;
    // Some documents are new, and so long that the caches soon have to let others go.
    const fresh = `query New${counts.operations} { alerts { name } } # ${''.padEnd(8000, '.')}`;
    const query = random.chance(5) ? fresh : random.pick(documents);
    const headers = credentialsOf(caller);
    const isGet = random.chance(10) && !query.startsWith('mutation');
    const accept = random.chance(10) ? 'application/graphql-response+json' : 'application/json';
    const leaving = random.chance(1) ? new AbortController() : undefined;
    try {
      const answering = pool.request({
        ...(isGet
          ? { method: 'GET', path: `${pathname}?${new URLSearchParams({ query })}`, headers }
          : {
              method: 'POST',
              path: pathname,
              headers: { ...headers, 'content-type': 'application/json', accept },
              body: JSON.stringify({ query }),
            }),
        signal: leaving?.signal ?? null,
      });
      if (leaving) setTimeout(() => leaving.abort(), random.below(5));
      const { statusCode, body } = await answering;
      const text = await body.text();
      counts[text.includes('"errors":') ? 'errors' : 'data'] += 1;
      for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) {
        counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
      }
      const wrong = faultOfBody(JSON.parse(text)) ?? foreignIn(text, caller);
      if (statusCode >= 500 || wrong !== undefined) {
        faults.push(`${wrong ?? `status ${statusCode}`}: ${text}`.slice(0, 1000));
      }
    } catch (error) {
      if (leaving) counts.left += 1;
      else faults.push(String(error));
    }
  };

  return {
    counts,
    faults,
    /** Sends so many operations, and resolves when none of them is under way. */
    send: async (operations: number): Promise<void> => {
      const last = counts.operations + operations;
      const work = async (): Promise<void> => {
        while (counts.operations < last && faults.length < 10) await sendOne();
      };
      await Promise.all(Array.from({ length: connections }, work));
    },
    close: () => pool.close(),
  };
};

/** Clients that subscribe, and subscribe again whenever a stream has ended or they have left it. */
export const createStreams = (url: string, streams: number, seed: number) => {
  const random = createRandom(seed);
  const counts = { opened: 0, events: 0, ended: 0 };
  const faults: string[] = [];
  let closing = new AbortController();
  let clients: Promise<void>[] = [];

  const watch = async (caller: string, signal: AbortSignal): Promise<void> => {
    const stream = await subscribe(url, random.pick(subscriptions), {
      headers: credentialsOf(caller),
    });
    counts.opened += 1;
    const staying = setTimeout(stream.leave, random.below(60_000));
    signal.addEventListener('abort', stream.leave, { once: true });
    if (signal.aborted) stream.leave();
    await stream.ended;
    clearTimeout(staying);
    signal.removeEventListener('abort', stream.leave);
    if (stream.isComplete) counts.ended += 1;
    counts.events += stream.events.length;
    const text = JSON.stringify(stream.events);
    const wrong = text.includes('INTERNAL_SERVER_ERROR') ? text : foreignIn(text, caller);
    if (stream.response.statusCode !== 200) faults.push('a stream was refused');
    if (wrong !== undefined) faults.push(wrong.slice(0, 1000));
  };

  const keep = async (index: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && faults.length < 10) {
      await pause(random.below(2000));
      if (signal.aborted) return;
      // Two streams belong to one caller.
      await watch(`caller-${Math.floor(index / 2)}`, signal).catch((error) => {
        faults.push(String(error));
      });
    }
  };

  return {
    counts,
    faults,
    open: (): void => {
      clients = Array.from({ length: streams }, (_, index) => keep(index, closing.signal));
    },
    /** Has all leave, and resolves when they have. */
    leave: async (): Promise<void> => {
      closing.abort();
      await Promise.all(clients);
      closing = new AbortController();
    },
  };
};
