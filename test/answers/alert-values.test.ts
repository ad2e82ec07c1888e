import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { answering } from '../support/answering.ts';
import { data, type Stack, startStack } from '../support/harness.ts';

const alerts = [
  { id: 'a1', dashboard: 'd1', source: 'saved_search', silenced: { by: 'u1', until: null } },
  { id: 'a2', dashboard: 'd1', source: 'search', silenced: {} },
  { id: 'a3', dashboard: 'd1', source: 'tile', silenced: true },
  { id: 'a4', dashboard: 'd1', source: 'SAVED_SEARCH', silenced: false },
  { id: 'a5', dashboard: 'd1', source: null, silenced: null },
  { id: 'a6', dashboard: 'd1' },
];

const read = [
  { id: 'a1', source: 'SEARCH', silenced: true },
  { id: 'a2', source: 'SEARCH', silenced: true },
  { id: 'a3', source: 'TILE', silenced: true },
  { id: 'a4', source: 'UNKNOWN', silenced: false },
  { id: 'a5', source: null, silenced: null },
  { id: 'a6', source: null, silenced: null },
];

let stack: Stack;
beforeAll(async () => {
  const observability = answering({
    'GET /api/v2/alerts': data(alerts),
    'GET /api/v2/dashboards/d1': data({ id: 'd1', name: 'd' }),
    ...Object.fromEntries(alerts.map((alert) => [`GET /api/v2/alerts/${alert.id}`, data(alert)])),
  });
  stack = await startStack({ management: answering({}), observability });
});
afterAll(() => stack.close());

const fields = 'id source silenced';
const ask = async (selection: string) => (await stack.query(`{ ${selection} }`)).body;

describe('an alert that is silenced by somebody is silenced, and one of a saved search is of SEARCH:', () => {
  it('in the list', async () => {
    expect(await ask(`alerts { ${fields} }`)).toEqual({ data: { alerts: read } });
  });

  it('below a dashboard', async () => {
    expect(await ask(`dashboard(id: "d1") { name alerts { ${fields} } }`)).toEqual({
      data: { dashboard: { name: 'd', alerts: read } },
    });
  });

  it.each(read)('alone: $id', async (alert) => {
    expect(await ask(`alert(id: "${alert.id}") { ${fields} }`)).toEqual({ data: { alert } });
  });

  it.each([
    ['SEARCH', ['a1', 'a2']],
    ['TILE', ['a3']],
    ['null', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']],
  ])('in the list of those of source %s', async (source, ids) => {
    expect(await ask(`alerts(filter: { source: ${source} }) { id }`)).toEqual({
      data: { alerts: ids.map((id) => ({ id })) },
    });
  });
});

it('a member that the gateway does not know decides nothing', async () => {
  const alert = { id: 'a7', thresholdType: 'above', comparison: 'below' };
  const observability = answering({ 'GET /api/v2/alerts/a7': data(alert) });
  const other = await startStack({ management: answering({}), observability });
  onTestFinished(() => other.close());
  const { body } = await other.query('{ alert(id: "a7") { thresholdType } }');
  expect(body).toEqual({ data: { alert: { thresholdType: 'ABOVE' } } });
});
