import { type Answer, type Call, json, result } from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';

/** The objects in the ClickStack of a service. The identifiers are the same in all. */
const objectsOf = (service: string): Readonly<Record<string, readonly object[]>> => ({
  dashboards: [
    {
      ...{ id: 'd', name: `Board of ${service}` },
      tiles: [{ id: 't', name: 'Tile', series: [{ type: 'time', sourceId: 's' }] }],
    },
  ],
  alerts: [
    {
      ...{
        id: 'a',
        name: `Alert of ${service}`,
        dashboardId: 'd',
        tileId: 't',
        savedSearchId: 'q',
      },
      ...{ source: 'tile', threshold: 1, interval: '5m', thresholdType: 'above', note: null },
      channel: { type: 'webhook', webhookId: 'w' },
    },
  ],
  sources: [{ id: 's', name: `Source of ${service}` }],
  webhooks: [{ id: 'w', name: `Webhook of ${service}` }],
  'saved-searches': [{ id: 'q', name: `Search of ${service}`, sourceId: 's' }],
});

/** The service, the resource and the identifier in a path of a ClickStack. */
export const inStack = /services\/([^/]+)\/clickstack\/([^/?]+)(?:\/([^/?]+))?/;

/** Cloud with two services that have a ClickStack each, and one without. */
export const cloudAnswer = ({ method, path, body }: Call): Answer => {
  const [, service = '', resource = '', id] = inStack.exec(path) ?? [];
  const name = withNames(service);
  if (name === 'service-3') {
    const page = `<pre>Cannot ${method} ${path}</pre>`;
    return { status: 404, headers: { 'content-type': 'text/html' }, body: page };
  }
  if (path.endsWith('/clickpipes')) return result([{ id: withIds('pipe-1'), name: 'Pipe' }]);
  if (resource === '') {
    const services = ['service-1', 'service-2', 'service-3'].map((each) => {
      return { id: withIds(each), name: each };
    });
    if (path.endsWith('/services')) return result(services);
    return result({ ...services.find((each) => path.endsWith(each.id)) });
  }
  if (method !== 'GET') return result({ id: 'new', ...JSON.parse(body || '{}') });
  const all = objectsOf(name)[resource] ?? [];
  const found = all.find((each) => 'id' in each && each.id === id);
  if (id !== undefined) return found ? result(found) : json({ status: 404, error: 'no' }, 404);
  // The two descriptions of the interface name the total differently.
  const total = name === 'service-1' ? { meta: { total: all.length } } : { totalCount: all.length };
  return json({ status: 200, requestId: 'r', result: all, ...total });
};
