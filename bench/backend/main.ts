import { createServer, type Socket } from 'node:net';
import { createRoutes, httpAnswer } from './routes.ts';
import { createWorld } from './world.ts';

/**
 * Both REST interfaces, as cheap as they can be had: GET over a bare socket, with answers built ahead, so
 * that the servers before it are what is measured. Started by `../processes.ts`. PORT is its one setting.
 *
 * `GET /control/take` answers with the `BackendCounts` since the last time, and starts them again.
 */
export interface BackendCounts {
  readonly calls: number;
}

const routes = createRoutes(createWorld());
let calls = 0;

const notFound = httpAnswer('404 Not Found', { message: 'no such thing' });
const unauthorized = httpAnswer('401 Unauthorized', { message: 'no such credential' });

const take = (): Buffer => {
  const taken: BackendCounts = { calls };
  calls = 0;
  return httpAnswer('200 OK', taken);
};

/** Whether the head has an Authorization header of the interface's scheme. */
const hasCredential = (head: string, target: string): boolean => {
  const begin = head.indexOf('uthorization: ') + 14;
  return begin > 13 && head.startsWith(target.startsWith('/v1/') ? 'Basic ' : 'Bearer ', begin);
};

const answer = (socket: Socket, head: string): void => {
  const target = head.slice(4, head.indexOf(' ', 4));
  if (target === '/control/take') {
    socket.write(take());
    return;
  }
  calls += 1;
  socket.write(hasCredential(head, target) ? (routes.get(target) ?? notFound) : unauthorized);
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
