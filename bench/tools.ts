import { setTimeout as pause } from 'node:timers/promises';
import { startBackend, startServer, takeCounts } from './children.ts';
import { headersOf } from './clients.ts';
import { table } from './report.ts';
import { organizationPage } from './scenarios.ts';
import { watch } from './viewers.ts';
import { count, organizationId, paths, serviceId } from './world.ts';

/** What a plan of Terraform reads: no page shows it. */
const targets: readonly string[] = [
  ...count(30, (service) => paths.service(organizationId(1), serviceId(1, service))),
  ...count(10, (service) => paths.pipes(organizationId(1), serviceId(1, service))),
];
/** As Terraform by default. */
const parallel = 10;
/** A refused read is repeated after the time that the answer gives, else after one second, then after two. */
const attempts = 3;
const viewer = { caller: 0, pages: [organizationPage], offset: 0, every: 5000, times: 36 };
/** The page shows what it writes. */
const writes = { pipes: [[0, 0, 0] as const], offset: 2000, every: 20_000, times: 9 };
const withinMs = 10_000;

/** Reads all targets, and returns how many were answered, and the seconds until the last one was. */
const plan = async (url: string) => {
  const authorization = headersOf('fetch', 0)['management-authorization'] ?? '';
  const waiting = [...targets];
  let answered = 0;
  const read = async (target: string): Promise<void> => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const response = await fetch(url + target, { headers: { authorization } });
      await response.text();
      if (response.status === 200) {
        answered += 1;
        return;
      }
      const given = Number(response.headers.get('retry-after') ?? attempt);
      if (attempt < attempts) await pause(1000 * given);
    }
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await read(next);
  };
  const began = performance.now();
  await Promise.all(count(parallel, work));
  return { answered, seconds: (performance.now() - began) / 1000 };
};

const ways = {
  direct: (backend: string) => backend,
  'through the door': (_: string, gateway: string) => `${gateway}/management`,
} as const;

const measure = async (name: string, urlOf: (backend: string, gateway: string) => string) => {
  const backend = await startBackend({ WINDOWS: 'sliding' });
  const gateway = await startServer('Sluice', backend.url, { REST: 'read' });
  const [{ views, writes: written }, { answered, seconds }] = await Promise.all([
    watch([gateway.url], { viewers: [viewer], writes }),
    plan(urlOf(backend.url, gateway.url)),
  ]);
  const { calls, refused } = await takeCounts(backend.url);
  await gateway.stop();
  await backend.stop();
  const whole = views.filter((view) => view.whole && view.milliseconds <= withinMs).length;
  const isWhole = answered === targets.length;
  const done = written.filter(({ isDone }) => isDone).length;
  const row = [
    ...[name, calls, refused, `${answered} of ${targets.length}`],
    ...[
      isWhole ? seconds.toFixed(0) : '–',
      `${whole} of ${views.length}`,
      `${done} of ${written.length}`,
    ],
  ];
  return { row, isMissed: !isWhole || refused > 0 || done < written.length };
};

/** A plan of 40 reads beside a viewer and a writer with the same key, past the gateway and through it. */
export const measureTools = async (say: (what: string) => void) => {
  say('a tool beside a viewer and a writer');
  const measured = await Promise.all(
    Object.entries(ways).map(([name, urlOf]) => measure(name, urlOf)),
  );
  const isMissed = measured.at(-1)?.isMissed ?? true;
  const header = [
    'the tool',
    'calls',
    '429',
    'answered 200',
    's to the last',
    'whole pages',
    'writes',
  ];
  return {
    isMissed,
    lines: [
      `- Tools: ${isMissed ? 'MISSED: a 429, or a read or write without an answer' : 'all bounds kept'}.`,
    ],
    text: [
      '## A REST tool beside a viewer and a writer',
      `One key, 10 calls in 10 s. A tool reads ${targets.length} things, ${parallel} at a time, each up to ${attempts} times; a viewer looks through Sluice each 5 s at a page of ten reads, and a writer stops or starts a pipe on it each 20 s. *whole pages*: within 10 s.`,
      table(
        1,
        header,
        measured.map(({ row }) => row),
      ),
    ].join('\n\n'),
  };
};
