import { describe, expect, it } from 'vitest';
import { type Call, json } from '../support/harness.ts';
import { dataSource, savedSearch, webhookRecord } from '../support/profiles/hyperdx-records.ts';
import { startProfile } from '../support/profiles/rows.ts';

describe.each([
  ['dataSources', 'sources', dataSource, ['']],
  ['webhooks', 'webhooks', webhookRecord, ['', '?limit=1000&offset=1']],
  ['savedSearches', 'saved-searches', savedSearch, ['', '?limit=1000&offset=1']],
] as const)('%s of HyperDX', (field, path, record, pages) => {
  it(`are read to their last page, of which there are ${pages.length}`, async () => {
    const rows = [1, 2, 3].map((number) => ({ ...record, id: `row-${number}` }));
    const stack = await startProfile({
      observability: ({ path: asked }: Call) => {
        const offset = Number(new URL(asked, 'http://a').searchParams.get('offset') ?? 0);
        return json({ data: rows.slice(offset, offset + 2), meta: { total: 3, limit: 2, offset } });
      },
    });
    const { body } = await stack.query(`{ ${field} { id } }`);
    const all = rows.slice(0, pages.length + 1);
    expect(body.data[field]).toEqual(all.map(({ id }) => ({ id })));
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
