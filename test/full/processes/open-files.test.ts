import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { sendAlerts, startMain } from '../../support/process/run-main.ts';

it.skipIf(process.platform !== 'linux')(
  'where few files may be open, fewer callers are served, each is answered, and so is a health check',
  async () => {
    const command = ['sh', '-c', 'ulimit -n 64; exec "$0" src/main.ts', process.execPath] as const;
    const gateway = await startMain(sendAlerts, { METRICS_PORT: '0' }, command);
    const used = { maxConnections: 14, upstreamConnections: 1 };
    expect(
      await gateway.logged('too few open files are allowed, so fewer connections are used'),
    ).toMatchObject({ level: 'warn', openFiles: 64, needed: 1176, ...used });

    const callers = Array.from({ length: 100 }, () => {
      const socket = connect(gateway.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const caller = { socket, text: '', isClosed: false };
      socket.setEncoding('utf8').on('data', (text: string) => {
        caller.text += text;
      });
      // A connection that is refused may be reset.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        caller.isClosed = true;
      });
      return caller;
    });
    const open = () => callers.filter(({ isClosed }) => !isClosed);
    await expect.poll(() => open().length).toBe(used.maxConnections);
    const refused = await gateway.logged('refused a connection, as too many are open');
    expect(refused).toMatchObject({ maxConnections: used.maxConnections });
    const { metricsPort } = await gateway.logged('listening');
    expect((await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).status).toBe(200);

    for (const { socket } of open()) {
      socket.write(
        'GET /graphql?query={alerts{name}} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer token\r\n\r\n',
      );
    }
    const isAnswered = () => open().filter(({ text }) => text.includes('"name":"lag"'));
    await expect.poll(() => isAnswered().length).toBe(used.maxConnections);
  },
);
