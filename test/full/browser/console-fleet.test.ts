import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/chromium.ts';
import {
  buildConsole,
  expectAccessible,
  half,
  hasFocus,
  openConsole,
  photographConsole,
  right,
  row,
  says,
  shows,
  signIn,
} from '../../support/browser/console-page.ts';
import { serveGraphql } from '../../support/client/kit.ts';

const services = Array.from({ length: 120 }, (_, index) => `service ${index + 1}`);

const pipe = (service: string, name: string) => ({
  nodeId: `${name} of ${service}`,
  id: name,
  organizationId: 'organization',
  serviceId: service,
  name: `${name} of ${service}`,
  state: 'Running',
  phase: 'RUNNING',
  availableCommands: ['STOP'],
  source: { __typename: 'KafkaSource' },
});

const missing = (index: number, code: string) => ({
  message: code === 'SERVICE_NOT_RUNNING' ? 'It is idle.' : 'No answer came.',
  path: ['organization', 'services', index, 'pipes'],
  extensions: { code, requestId: `request-${index}` },
});

/** What a service is missing for that is not read yet, or cannot be read. */
const reasonFor = (index: number, read: number): string | undefined => {
  if (index >= read) return 'RATE_LIMITED';
  if (index === 1) return 'SERVICE_NOT_RUNNING';
  return index === 2 || index === 3 ? 'UPSTREAM_TIMEOUT' : undefined;
};

/** An event with the pipes of so many of 120 services, which has at most 100 errors as the gateway's have. */
const eventWith = (read: number) => {
  const errors = services.flatMap((_, index) => {
    const reason = reasonFor(index, read);
    return reason ? [missing(index, reason)] : [];
  });
  const leftOut = { message: 'more', extensions: { code: 'LIMIT_EXCEEDED', limit: 'errors' } };
  const progress = { ready: read + 2, wanted: 122, completeInSeconds: (120 - read) * 2 };
  const listed = services.map((name, index) => ({
    nodeId: name,
    name,
    pipes: reasonFor(index, read) ? null : [pipe(name, 'clicks'), pipe(name, 'views')],
  }));
  return {
    data: { organization: { services: listed } },
    errors: errors.length > 100 ? [...errors.slice(0, 100), leftOut] : errors,
    ...(read < 120 && { extensions: { progress } }),
  };
};

/** A gateway that answers the page's operations; `tell` gives an event to its stream of pipes. */
const serveFleet = async () => {
  const stream = Promise.withResolvers<ServerResponse>();
  const url = await serveGraphql(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (Buffer.concat(chunks).includes('query Organizations')) {
      const organizations = [{ id: 'organization', name: 'Northwind' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: { organizations } }));
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      stream.resolve(response);
    }
  });
  const tell = async (read: number) => {
    (await stream.promise).write(`event: next\ndata: ${JSON.stringify(eventWith(read))}\n\n`);
  };
  return { url, tell };
};

describeInBrowser('the console over 120 services', () => {
  let built: Awaited<ReturnType<typeof buildConsole>>;
  beforeAll(async () => {
    built = await buildConsole();
  });
  afterAll(() => built.remove());

  const open = async () => {
    const { url, tell } = await serveFleet();
    const opened = await openConsole(built.folder, url);
    await opened.page.setViewportSize({ width: 1280, height: 900 });
    await signIn(opened.page, { keyId: right.keyId, keySecret: right.keySecret });
    return { ...opened, tell };
  };

  it('shows how far it is, what is there and what is missing, until all is there', async () => {
    const { page, tell, complaints } = await open();
    const pipes = half(page, 'Pipes');
    const status = pipes.getByRole('status').first();
    await tell(0);
    await shows(pipes, '2 of 122 read, about 4 minutes more');
    await shows(status, 'Live, not complete yet');
    await shows(page.getByRole('status', { name: 'Summary' }), 'No pipe failed so far');
    await shows(row(page, 'service 1'), 'Not read yet');
    expect(await page.getByRole('alert').count()).toBe(0);

    await tell(90);
    await shows(pipes, '92 of 122 read, about 60 s more');
    const bar = page.getByRole('progressbar', { name: '92 of 122 read, about 60 s more' });
    expect(await bar.evaluate(({ value, max }: HTMLProgressElement) => [value, max])).toEqual([
      92, 122,
    ]);
    await shows(row(page, 'clicks of service 1'), 'Running');
    await shows(row(page, 'service 2'), 'Service not running');
    await shows(row(page, 'service 3'), 'Not readable');
    await says(pipes, 'Pipes of service 3 and service 4: No answer came.');
    await pipes.getByLabel('Show pipes').selectOption('Not read yet (30)');
    await shows(row(page, 'service 91'), 'Not read yet');
    expect(await pipes.getByRole('article').count()).toBe(30);
    await pipes.getByLabel('Show pipes').selectOption('All (207)');
    await expectAccessible(page);
    await photographConsole(page, 'filling');

    await tell(120);
    await shows(status, 'Live');
    await shows(page.getByRole('status', { name: 'Summary' }), 'No pipe failed');
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows fifty rows at first, and finds a service among all', async () => {
    const { page, tell } = await open();
    await tell(120);
    const pipes = half(page, 'Pipes');
    await row(page, 'clicks of service 1').waitFor();
    expect(await pipes.getByRole('article').count()).toBe(50);
    await pipes.getByLabel('Filter pipes by name or service').fill('service 117');
    await shows(row(page, 'views of service 117'), 'Running');
    await pipes.getByLabel('Filter pipes by name or service').fill('');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await pipes.getByRole('button', { name: 'Show 187 more' }).click();
    expect(await pipes.getByRole('article').count()).toBe(237);
    expect(await hasFocus(pipes)).toBe(true);
  });
});
