import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Arrived, drip, type Reaction, silence } from '../support/faults/backend.ts';
import { type FaultGateway, ofService, startFaultGateway, well } from '../support/faults/stack.ts';
import { result } from '../support/harness.ts';

// Long enough for all that does answer, on a slow machine too; the write takes longer.
const operationTimeoutMs = 1_500;
const writeMs = 4_000;

let gateway: FaultGateway;
afterEach(() => gateway.close());

type Replies = Readonly<Record<string, Reaction | Promise<Reaction>>>;

const start = async (replies: () => Replies, writeTimeoutMs = 60_000): Promise<FaultGateway> => {
  const react = ({ method, path }: Arrived): Reaction | Promise<Reaction> =>
    replies()[`${method} ${path.split('/').at(-1)}`] ?? silence;
  gateway = await startFaultGateway(
    { management: react, observability: react },
    { operationTimeoutMs, writeTimeoutMs },
    { requestTimeoutMs: 1_500 },
  );
  return gateway;
};

const serviceId = /serviceId: "([^"]+)"/.exec(ofService)?.[1];
const pipe = result({ id: '919e0000-0000-4000-8000-000000000001', name: 'n' });
const later = async (): Promise<Reaction> => {
  await pause(writeMs);
  return pipe;
};

const create = (selection: string): string =>
  `createPipe(input: { ${ofService}, name: "n", source: { postgres: { host: "h" } } }) {
    pipe { ${selection} } userErrors { code } }`;
const created = { pipe: { name: 'n' }, userErrors: [] };

it('a write may take longer than an operation without one, and than a connection may be idle', async () => {
  const { query, management } = await start(() => ({ 'POST pipes': later() }));
  const body = await query(`mutation { ${create('name')} }`);
  expect(body).toEqual({ data: { createPipe: created } });
  expect(management.calls).toHaveLength(1);
});

it('after a write, reads and further writes have time again', async () => {
  const { query } = await start(() => ({
    'POST pipes': later(),
    [`GET ${serviceId}`]: well('management'),
    'POST dashboards': well('observability'),
  }));
  const body = await query(`mutation {
    ${create('name service { name }')}
    createDashboard(input: { name: "n" }) { dashboard { name } }
  }`);
  expect(body).toEqual({
    data: {
      createPipe: { pipe: { name: 'n', service: { name: 'well' } }, userErrors: [] },
      createDashboard: { dashboard: { name: 'well' } },
    },
  });
});

it('after a write, reads have the time of an operation, and no more', async () => {
  const { query } = await start(() => ({ 'POST pipes': pipe, [`GET ${serviceId}`]: drip }));
  const body = await query(`mutation { ${create('name service { name }')} }`);
  expect(body).toMatchObject({
    data: { createPipe: { pipe: { name: 'n', service: null } } },
    errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT', upstream: { operation: 'getService' } } }],
  });
});

it('the writes of an operation have one deadline, after which none is sent', async () => {
  const { query, observability } = await start(() => ({ 'POST pipes': drip }), 2_000);
  const { errors } = await query(`mutation {
    ${create('name')}
    createDashboard(input: { name: "n" }) { dashboard { name } }
  }`);
  expect(errors).toMatchObject([
    {
      message: expect.stringMatching(/It may have been carried out\.$/),
      extensions: { code: 'UPSTREAM_TIMEOUT', retryable: false },
    },
    { message: expect.stringMatching(/It was not sent\.$/) },
  ]);
  expect(observability.calls).toEqual([]);
});

it('a query keeps to the time of an operation', async () => {
  const { query } = await start(() => ({}));
  const { errors } = await query(`{ service(${ofService}) { name } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
});
