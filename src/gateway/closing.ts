import type { IncomingMessage } from 'node:http';

export type Socket = IncomingMessage['socket'];

/** How long a closed connection still reads, in milliseconds. */
const lingerMs = 2000;

/**
 * Reads nothing more of a connection, and has Node parse nothing more of it. Requests on it that have arrived can still
 * be answered.
 */
export const stopReading = (socket: Socket): void => {
  socket.removeAllListeners('data');
  // Node reads on by itself when a body is read or a response has been sent.
  socket.on('data', () => socket.pause());
  socket.pause();
};

/**
 * Closes a connection so that the client gets all that was sent to it. The kernel answers bytes that arrive at a closed
 * socket with a reset, and the client's kernel then drops what the client has not read yet. So the connection is first
 * closed in one direction, and what still arrives is read and dropped until the client closes it too.
 */
export const closeGently = (socket: Socket): void => {
  if (socket.writableEnded) return;
  stopReading(socket);
  socket.end(() => {
    if (socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
    socket.removeAllListeners('data');
    socket.resume();
  });
};
