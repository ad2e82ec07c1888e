import { expect, it } from 'vitest';
import { type Call, json, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

/** Answers with what either interface could have sent: members of these names, with other values. */
const forge = ({ method, path }: Call) => {
  const [last = ''] = path.match(/[^/]+(?=(\/scaling|\/state)?$)/) ?? [];
  const listed = { services: withIds('service-1'), pipes: withIds('pipe-1'), dashboards: 'd' };
  const id = listed[last as keyof typeof listed] ?? last;
  const tiles = [{ id: 't', name: 'b', dashboardId: 'forged' }];
  const record = { id, name: 'a', tiles, ...{ organizationId: 'forged', serviceId: 'forged' } };
  const value = id !== last && method === 'GET' ? [record] : record;
  return json({ status: 200, result: value, data: value });
};

const stack = useStack({ management: forge, observability: forge });

const service = '{"name":"a","organizationId":"organization-1"}';
const pipe = '{"name":"a","organizationId":"organization-1","serviceId":"service-1"}';
const ofPipe = '{ name organizationId serviceId }';
const tiles = '{"tiles":[{"name":"b","dashboardId":"d"}]}';
const ofTiles = '{ tiles { name dashboardId } }';

it.each([
  ['{ service(@service-1) { name organizationId } }', `{"service":${service}}`],
  [
    '{ organization(id: "organization-1") { services { name organizationId } } }',
    `{"organization":{"services":[${service}]}}`,
  ],
  [
    `mutation { updateServiceScaling(input: {@service-1, numReplicas: 3}) {
      service { name organizationId } } }`,
    `{"updateServiceScaling":{"service":${service}}}`,
  ],
  [`{ pipe(@service-1, pipeId: "pipe-1") ${ofPipe} }`, `{"pipe":${pipe}}`],
  [`{ service(@service-1) { pipes ${ofPipe} } }`, `{"service":{"pipes":[${pipe}]}}`],
  [
    `mutation { stopPipe(input: {@service-1, pipeId: "pipe-1"}) { pipe ${ofPipe} } }`,
    `{"stopPipe":{"pipe":${pipe}}}`,
  ],
  [`{ dashboard(id: "d") ${ofTiles} }`, `{"dashboard":${tiles}}`],
  [`{ dashboards ${ofTiles} }`, `{"dashboards":[${tiles}]}`],
  [
    `mutation { createDashboard(input: {name: "a"}) { dashboard ${ofTiles} } }`,
    `{"createDashboard":{"dashboard":${tiles}}}`,
  ],
])('believes the path, not the record, of what things belong to: %s', async (document, answer) => {
  const { body } = await stack.query(withIds(document));
  expect(body).toEqual({ data: JSON.parse(withIds(answer)) });
});
