import type { IncomingMessage } from 'node:http';

export type Socket = IncomingMessage['socket'];

/** How long a connection that is being closed still reads, in milliseconds. */
const lingerMs = 2000;

/** Stops reading from a connection, and parsing what has arrived. Parsed requests can still be answered. */
export const stopReading = (socket: Socket): void => {
  socket.removeAllListeners('data');
  // Node resumes reading when a body is read or a response has been sent.
  socket.on('data', () => socket.pause());
  socket.pause();
};

/**
 * Closes a connection so that the client receives everything that was sent. If bytes arrive at a closed socket, the
 * kernel replies with a reset, and the client's kernel then drops data that the client has not read. So only the
 * sending side is closed at first, and arriving bytes are dropped until the client closes too.
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
