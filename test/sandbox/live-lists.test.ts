import { describe, expect, it } from 'vitest';
import { credentials, world } from '../support/sandbox/harness.ts';
import { liveWorld, openLive } from '../support/sandbox/live.ts';

const { main, second } = world.observability;

type Row = { readonly id: string; readonly name: string };

describe('sources, webhooks and saved searches of the live sandbox', () => {
  it('are listed; all but sources say how many there are', async () => {
    const { observability } = await openLive();
    const sources = await observability<readonly Row[]>('GET', '/api/v2/sources');
    expect(Object.keys(sources.body)).toEqual(['data']);
    expect(sources.body.data).toMatchObject([
      { id: liveWorld.sources.logs, name: 'Logs', kind: 'log' },
      { id: liveWorld.sources.metrics, name: 'Metrics', kind: 'metric' },
      { id: liveWorld.sources.traces, name: 'Traces', kind: 'trace' },
    ]);
    const webhooks = await observability<readonly Row[]>('GET', '/api/v2/webhooks?limit=1');
    expect(webhooks.body).toMatchObject({
      data: [{ id: main.webhooks.oncall, service: 'incidentio' }],
      meta: { total: 3, limit: 1, offset: 0 },
    });
    expect(webhooks.headers.get('x-total-count')).toBe('3');
    const searches = await observability<readonly Row[]>('GET', '/api/v2/saved-searches');
    expect(searches.body).toMatchObject({
      data: [{ id: main.savedSearchId, sourceId: liveWorld.sources.logs, whereLanguage: 'lucene' }],
      meta: { total: 1, limit: 1000, offset: 0 },
    });
  });

  it('are read singly, but for webhooks', async () => {
    const { observability } = await openLive();
    const source = await observability<Row>('GET', `/api/v2/sources/${liveWorld.sources.logs}`);
    expect(source.body.data.name).toBe('Logs');
    const search = await observability<Row>('GET', `/api/v2/saved-searches/${main.savedSearchId}`);
    expect(search.body.data.name).toBe('Killed for its memory');
    const webhook = await observability('GET', `/api/v2/webhooks/${main.webhooks.oncall}`);
    expect(webhook.status).toBe(404);
  });

  it('are those of the own team', async () => {
    const { observability } = await openLive();
    const { header } = credentials.observability.second;
    const ids = async (path: string) =>
      (await observability<readonly Row[]>('GET', path, undefined, header)).body.data.map(
        ({ id }) => id,
      );
    expect(await ids('/api/v2/sources')).toEqual([liveWorld.secondSources.metrics]);
    expect(await ids('/api/v2/webhooks')).toEqual([second.webhooks.oncall]);
    expect(await ids('/api/v2/saved-searches')).toEqual([]);
  });
});

describe('failures of the live sandbox', () => {
  it('are a page for a path that HyperDX does not have, and plain text without a token', async () => {
    const { observability } = await openLive();
    const unknown = await observability('GET', '/api/v2/nothing');
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('content-type')).toContain('text/html');
    const anonymous = await observability('GET', '/api/v2/sources', undefined, '');
    expect([anonymous.status, anonymous.text]).toEqual([401, 'Unauthorized']);
  });

  it('come from the credentials that fail on purpose, too', async () => {
    const { observability, management } = await openLive();
    const { failing } = credentials;
    const { header } = failing.observability.serverError;
    expect((await observability('GET', '/api/v2/alerts', undefined, header)).status).toBe(500);
    const key = failing.management.unavailable.header;
    expect((await management('GET', '/v1/organizations', undefined, key)).status).toBe(503);
  });
});

it('the live sandbox keeps the limits, and says so in the same headers', async () => {
  const { observability, management } = await openLive({ limits: true });
  const counted = await observability('GET', '/api/v2/alerts?limit=1');
  expect(counted.headers.get('ratelimit-remaining')).toBe('99');
  for (let sent = 0; sent < 10; sent += 1) await management('GET', '/v1/organizations');
  const tooMany = await management('GET', '/v1/organizations');
  expect(tooMany.status).toBe(429);
  expect(Number(tooMany.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
});
