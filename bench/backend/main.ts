import { createServer, type Socket } from 'node:net';
import { createRoutes, httpAnswer } from './routes.ts';
import { createWorld } from './world.ts';

/**
 * Both REST interfaces, as cheap as they can be had: GET over a bare socket, answers built ahead, so
 * that the servers before it are what is measured. Started by `../processes.ts`; PORT is its one setting.
 *
 * `GET /control/set?delay=20&alerts=100` sets the delay of every answer and the number of alerts;
 * `GET /control/take` answers with the `BackendCounts` since the last time, and starts them anew.
 */
export interface BackendCounts {
  readonly calls: number;
  /** Longest chain of calls of which each began after the one before was answered. */
  readonly rounds: number;
  /** The first distinct Authorization values that came. */
  readonly credentials: readonly string[];
}

const freshCounts = () => ({ calls: 0, rounds: 0, credentials: new Set<string>() });

let routes = createRoutes(createWorld());
let delay = 0;
let counts = freshCounts();
/** How many rounds have been answered. */
let answeredRounds = 0;

const notFound = httpAnswer('404 Not Found', { message: 'no such thing' });
const unauthorized = httpAnswer('401 Unauthorized', { message: 'no such credential' });
const done = httpAnswer('200 OK', {});

const control = (target: string): Buffer => {
  const url = new URL(target, 'http://backend');
  if (url.pathname === '/control/take') {
    const taken: BackendCounts = { ...counts, credentials: [...counts.credentials] };
    counts = freshCounts();
    answeredRounds = 0;
    return httpAnswer('200 OK', taken);
  }
  delay = Number(url.searchParams.get('delay') ?? delay);
  const alerts = url.searchParams.get('alerts');
  if (alerts !== null) routes = createRoutes(createWorld(Number(alerts)));
  return done;
};

/** The value of a request head's Authorization header, or nothing where its scheme is the wrong one. */
const credentialIn = (head: string, target: string): string | undefined => {
  const begin = head.indexOf('uthorization: ') + 14;
  if (begin === 13) return undefined;
  const value = head.slice(begin, head.indexOf('\r\n', begin));
  return value.startsWith(target.startsWith('/v1/') ? 'Basic ' : 'Bearer ') ? value : undefined;
};

const answer = (socket: Socket, head: string): void => {
  const target = head.slice(4, head.indexOf(' ', 4));
  if (target.startsWith('/control/')) {
    socket.write(control(target));
    return;
  }
  const round = answeredRounds + 1;
  counts.calls += 1;
  counts.rounds = Math.max(counts.rounds, round);
  const credential = credentialIn(head, target);
  if (credential !== undefined && counts.credentials.size < 4) counts.credentials.add(credential);
  const bytes = credential === undefined ? unauthorized : (routes.get(target) ?? notFound);
  const write = (): void => {
    answeredRounds = Math.max(answeredRounds, round);
    socket.write(bytes);
  };
  if (delay > 0) setTimeout(write, delay);
  else write();
};

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1');
    let begin = 0;
    let end = text.indexOf('\r\n\r\n');
    while (end >= 0) {
      answer(socket, text.slice(begin, end + 2));
      begin = end + 4;
      end = text.indexOf('\r\n\r\n', begin);
    }
    rest = text.slice(begin);
  });
  // A client that goes away is no fault of the backend's.
  socket.on('error', () => socket.destroy());
});

server.listen(Number(process.env.PORT), '127.0.0.1');
