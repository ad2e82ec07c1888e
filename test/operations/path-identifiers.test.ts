import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const forged = 'f0f0f0f0-0000-4000-8000-00000000000f';
const ids = `organizationId: "${organizationId}"`;
const serviceIds = `${ids}, serviceId: "${serviceId}"`;
const pipeIds = `${serviceIds}, pipeId: "${pipeId}"`;

let stack: Stack;
let answer: Answer;
beforeAll(async () => {
  stack = await startStack({ management: () => answer, observability: () => answer });
});
afterAll(() => stack.close());

/** Answers with what either interface could have sent: members of these names, with other values. */
const forging = (id: string, list: boolean) => {
  const record = {
    id,
    name: 'a',
    organizationId: forged,
    serviceId: forged,
    tiles: [{ id: 't', name: 'b', dashboardId: 'forged' }],
  };
  const value = list ? [record] : record;
  return json({ status: 200, result: value, data: value });
};

interface Row {
  readonly document: string;
  readonly id: string;
  readonly list: boolean;
  readonly expected: unknown;
}

const service = { name: 'a', organizationId };
const pipe = { name: 'a', organizationId, serviceId };
const tiles = [{ name: 'b', dashboardId: 'd' }];

it.each<Row>([
  {
    document: `{ service(${serviceIds}) { name organizationId } }`,
    id: serviceId,
    list: false,
    expected: { service },
  },
  {
    document: `{ organization(id: "${organizationId}") { services { name organizationId } } }`,
    id: serviceId,
    list: true,
    expected: { organization: { services: [service] } },
  },
  {
    document: `mutation { updateServiceScaling(input: {${serviceIds}, numReplicas: 3}) { service { name organizationId } } }`,
    id: serviceId,
    list: false,
    expected: { updateServiceScaling: { service } },
  },
  {
    document: `{ pipe(${pipeIds}) { name organizationId serviceId } }`,
    id: pipeId,
    list: false,
    expected: { pipe },
  },
  {
    document: `{ service(${serviceIds}) { pipes { name organizationId serviceId } } }`,
    id: pipeId,
    list: true,
    expected: { service: { pipes: [pipe] } },
  },
  {
    document: `mutation { stopPipe(input: {${pipeIds}}) { pipe { name organizationId serviceId } } }`,
    id: pipeId,
    list: false,
    expected: { stopPipe: { pipe } },
  },
  {
    document: '{ dashboard(id: "d") { tiles { name dashboardId } } }',
    id: 'd',
    list: false,
    expected: { dashboard: { tiles } },
  },
  {
    document: '{ dashboards { tiles { name dashboardId } } }',
    id: 'd',
    list: true,
    expected: { dashboards: [{ tiles }] },
  },
  {
    document:
      'mutation { createDashboard(input: {name: "a"}) { dashboard { tiles { dashboardId } } } }',
    id: 'd',
    list: false,
    expected: { createDashboard: { dashboard: { tiles: [{ dashboardId: 'd' }] } } },
  },
])('believes the path, not the record, of what things belong to: $document', async (row) => {
  answer = forging(row.id, row.list);
  const { body } = await stack.query(row.document);
  expect(body).toEqual({ data: row.expected });
});
