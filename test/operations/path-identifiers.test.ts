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

const service = { name: 'a', organizationId };
const pipe = { name: 'a', organizationId, serviceId };
const tiles = [{ name: 'b', dashboardId: 'd' }];
const ofPipe = '{ name organizationId serviceId }';

it.each<readonly [document: string, id: string, list: boolean, expected: object]>([
  [`{ service(${serviceIds}) { name organizationId } }`, serviceId, false, { service }],
  [
    `{ organization(id: "${organizationId}") { services { name organizationId } } }`,
    ...([serviceId, true, { organization: { services: [service] } }] as const),
  ],
  [
    `mutation { updateServiceScaling(input: {${serviceIds}, numReplicas: 3}) { service { name organizationId } } }`,
    ...([serviceId, false, { updateServiceScaling: { service } }] as const),
  ],
  [`{ pipe(${pipeIds}) ${ofPipe} }`, pipeId, false, { pipe }],
  [`{ service(${serviceIds}) { pipes ${ofPipe} } }`, pipeId, true, { service: { pipes: [pipe] } }],
  [
    `mutation { stopPipe(input: {${pipeIds}}) { pipe ${ofPipe} } }`,
    ...([pipeId, false, { stopPipe: { pipe } }] as const),
  ],
  ['{ dashboard(id: "d") { tiles { name dashboardId } } }', 'd', false, { dashboard: { tiles } }],
  ['{ dashboards { tiles { name dashboardId } } }', 'd', true, { dashboards: [{ tiles }] }],
  [
    'mutation { createDashboard(input: {name: "a"}) { dashboard { tiles { dashboardId } } } }',
    ...([
      'd',
      false,
      { createDashboard: { dashboard: { tiles: [{ dashboardId: 'd' }] } } },
    ] as const),
  ],
])(
  'believes the path, not the record, of what things belong to: %s',
  async (document, id, list, expected) => {
    answer = forging(id, list);
    const { body } = await stack.query(document);
    expect(body).toEqual({ data: expected });
  },
);
