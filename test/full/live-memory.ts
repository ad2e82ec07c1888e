import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { subscribe } from '../support/subscribe.ts';

/**
 * What so many subscribers of one list cost: `node test/full/live-memory.ts [subscribers] [alerts]`. Prints calls, and the
 * resident memory of the gateway's process in megabytes. Linux only.
 */
const [subscribers = 1000, alerts = 100] = process.argv.slice(2).map(Number);

let calls = 0;
let state = 'OK';
const backend = createServer((_, response) => {
  calls += 1;
  const data = Array.from({ length: alerts }, (__, index) => ({
    id: `alert-${index}`,
    name: `alert number ${index}`,
    state,
    threshold: index,
    message: 'x'.repeat(200),
  }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data }));
}).listen(0, '127.0.0.1');
await once(backend, 'listening');
const address = backend.address();
if (address === null || typeof address === 'string') throw new Error('no port');
const url = `http://127.0.0.1:${address.port}`;

const gateway = spawn(process.execPath, ['src/main.ts'], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: {
    MANAGEMENT_URL: url,
    OBSERVABILITY_URL: url,
    PORT: '0',
    MAX_CONNECTIONS: String(subscribers * 2),
    MAX_STREAMS: String(subscribers),
    MAX_STREAMS_PER_CREDENTIAL: String(subscribers),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let log = '';
gateway.stdout.setEncoding('utf8').on('data', (text: string) => {
  log += text;
});
while (!log.includes('"listening"')) await pause(20);
const port = /"port":(\d+)/.exec(log)?.[1];

const status = () => {
  const text = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  const ofMember = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1024;
  const [user = 0, system = 0] =
    readFileSync(`/proc/${gateway.pid}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ')
      .slice(11, 13)
      .map(Number) ?? [];
  return {
    rss: Math.round(ofMember('VmRSS')),
    peak: Math.round(ofMember('VmHWM')),
    cpu: (user + system) / 100,
  };
};
const say = (about: string): void => {
  const { rss, peak, cpu } = status();
  process.stdout.write(`${about}: ${rss} MB (peak ${peak}), ${cpu} s of CPU, ${calls} calls\n`);
};

say('idle');
const streams = [];
for (let index = 0; index < subscribers; index += 100) {
  const some = Array.from({ length: Math.min(100, subscribers - index) }, () =>
    subscribe(
      `http://127.0.0.1:${port}/graphql`,
      'subscription { alerts { id name state threshold message } }',
    ),
  );
  streams.push(...(await Promise.all(some)));
}
await Promise.all(streams.map((stream) => stream.event(1)));
say(`${subscribers} subscribers of ${alerts} alerts, first events sent`);
const before = calls;
await pause(15_000);
say(`15 s later (${calls - before} polls)`);
state = 'ALERT';
const changed = performance.now();
await Promise.all(streams.map((stream) => stream.event(2)));
say(`a change has reached all, ${Math.round(performance.now() - changed)} ms after it was made`);
await pause(15_000);
say('15 s later');
for (const stream of streams) stream.leave();
await pause(5000);
const after = calls;
await pause(5000);
say(`all have left (${calls - after} polls in 5 s)`);
gateway.kill('SIGTERM');
await once(gateway, 'exit');
backend.close();
backend.closeAllConnections();
