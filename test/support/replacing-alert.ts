import { type Answer, type Call, data, json } from './harness.ts';

type Members = Readonly<Record<string, unknown>>;

/** What an upstream sets by itself, whatever a body says. */
const own = ['id', '_id', 'state', 'silenced', 'createdAt', 'updatedAt', 'team'];

/** What every record shows: null where a body leaves it out. */
const shown = ['name', 'message', 'threshold', 'interval', 'thresholdType', 'source', 'channel'];

/** One alert in an upstream whose PUT replaces: a member that the body leaves out is null or gone. */
export const createReplacingAlert = (first: Members) => {
  let record = first;
  const replace = ({ dashboardId, ...body }: Members): Members => ({
    ...Object.fromEntries(shown.map((name) => [name, null])),
    ...body,
    ...(dashboardId === undefined ? {} : { dashboard: dashboardId }),
    ...Object.fromEntries(own.filter((name) => name in record).map((name) => [name, record[name]])),
  });
  return {
    record: (): Members => record,
    answering: ({ method, path, body }: Call): Answer => {
      if (path !== `/api/v2/alerts/${first.id}`) return json({ message: 'Not found' }, 404);
      if (method === 'PUT') record = replace(JSON.parse(body) as Members);
      return data(record);
    },
  };
};
