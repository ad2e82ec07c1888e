import { describe, expect, it } from 'vitest';
import { type Call, data, json, paced } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import {
  dataSource,
  savedSearch,
  webhookRecord,
} from '../support/profiles/hyperdx-list-records.ts';
import type { Members } from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

interface List {
  readonly operation: string;
  readonly field: string;
  readonly path: string;
  readonly record: Members;
  readonly shown: Members;
  readonly hasPages: boolean;
}

const { url: _, ...webhook } = webhookRecord;
const { filters: __, teamId: ___, ...search } = savedSearch;

const lists: readonly List[] = [
  {
    ...{ operation: 'DataSources', field: 'dataSources', path: '/api/v2/sources' },
    record: dataSource,
    shown: {
      ...{ id: dataSource.id, name: 'Logs', kind: 'log', connectionId: dataSource.connection },
      ...{ databaseName: 'default', tableName: 'otel_logs' },
    },
    hasPages: false,
  },
  {
    ...{ operation: 'Webhooks', field: 'webhooks', path: '/api/v2/webhooks' },
    ...{ record: webhookRecord, shown: webhook, hasPages: true },
  },
  {
    ...{ operation: 'SavedSearches', field: 'savedSearches', path: '/api/v2/saved-searches' },
    ...{ record: savedSearch, shown: search, hasPages: true },
  },
];

describe.each(lists)('$field of HyperDX', ({ operation, field, path, record, shown, hasPages }) => {
  it('are read with one call, and kept in memory', async () => {
    const stack = await startHyperdx(() => data([record]), paced);
    const { body } = await stack.query(textOf(operation));
    expect(body).toEqual({ data: { [field]: [shown] } });
    expect((await stack.query(textOf(operation))).body).toEqual(body);
    expect(stack.callList()).toEqual([`GET ${path}`]);
  });

  it(hasPages ? 'are read to their last page' : 'have no pages', async () => {
    const rows = [1, 2, 3].map((number) => ({ ...record, id: `row-${number}` }));
    const page = ({ path: asked }: Call) => {
      const offset = Number(new URL(asked, 'http://a').searchParams.get('offset') ?? 0);
      return json({ data: rows.slice(offset, offset + 2), meta: { total: 3, limit: 2, offset } });
    };
    const stack = await startHyperdx(page);
    const { body } = await stack.query(textOf(operation));
    const ids = body.data[field].map(({ id }: { readonly id: string }) => id);
    expect(ids).toEqual(hasPages ? ['row-1', 'row-2', 'row-3'] : ['row-1', 'row-2']);
    expect(stack.calls.map((call) => call.path)).toEqual([
      path,
      ...(hasPages ? [`${path}?limit=1000&offset=1`] : []),
    ]);
  });

  it('are not available from a server of January 2026, which has no such route', async () => {
    const stack = await startHyperdx(() => ({
      status: 404,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: `<pre>Cannot GET ${path}</pre>`,
    }));
    const { body } = await stack.query(`{ ${field} { id } }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  });
});
