import { describe, expect, it } from 'vitest';
import { type Call, data, json, paced } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { dataSource, savedSearch, webhookRecord } from '../support/profiles/hyperdx-records.ts';
import { startProfile } from '../support/profiles/rows.ts';

const { url: _, ...webhook } = webhookRecord;
const { filters: __, teamId: ___, ...search } = savedSearch;
const { id, name, kind, connection: connectionId, from } = dataSource;

describe.each([
  {
    field: 'dataSources',
    path: 'sources',
    record: dataSource,
    shown: { id, name, kind, connectionId, ...from },
    hasPages: false,
  },
  { field: 'webhooks', path: 'webhooks', record: webhookRecord, shown: webhook, hasPages: true },
  {
    field: 'savedSearches',
    path: 'saved-searches',
    record: savedSearch,
    shown: search,
    hasPages: true,
  },
])('$field of HyperDX', ({ field, path, record, shown, hasPages }) => {
  const document = textOf(field.replace(/^./, (letter) => letter.toUpperCase()));

  it('are read with one call, and kept in memory', async () => {
    const stack = await startProfile({ observability: () => data([record]) }, paced);
    for (const _ of [1, 2]) {
      expect((await stack.query(document)).body).toEqual({ data: { [field]: [shown] } });
    }
    expect(stack.callList()).toEqual([`GET /api/v2/${path}`]);
  });

  it(hasPages ? 'are read to their last page' : 'have no pages', async () => {
    const rows = [1, 2, 3].map((number) => ({ ...record, id: `row-${number}` }));
    const stack = await startProfile({
      observability: ({ path: asked }: Call) => {
        const offset = Number(new URL(asked, 'http://a').searchParams.get('offset') ?? 0);
        return json({ data: rows.slice(offset, offset + 2), meta: { total: 3, limit: 2, offset } });
      },
    });
    const { body } = await stack.query(`{ ${field} { id } }`);
    const all = rows.slice(0, hasPages ? 3 : 2);
    expect(body.data[field]).toEqual(all.map((row) => ({ id: row.id })));
    const pages = hasPages ? ['', '?limit=1000&offset=1'] : [''];
    expect(stack.callList()).toEqual(pages.map((page) => `GET /api/v2/${path}${page}`));
  });

  it('are not available from a server of January 2026, which has no such route', async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    const page = { status: 404, headers, body: `<pre>Cannot GET /api/v2/${path}</pre>` };
    const stack = await startProfile({ observability: () => page });
    const { body } = await stack.query(`{ ${field} { id } }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  });
});
