import { Client } from 'undici';

// Undici has one timer for all its time limits, which it makes at its first connection. If a test held the clock then, that timer
// would stand still for all later tests of this worker.
const client = new Client('http://127.0.0.1:1');
await client.request({ path: '/', method: 'GET' }).catch(() => {
  // Nothing listens there. A connection that is refused makes the timer too.
});
await client.close();
