import '../../support/client/built.ts';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { run } from '../../support/process/run-main.ts';
import { copyRepository } from '../../support/repository-copy.ts';

const sdl = `extend type Service {
  """
  When the service may be restarted. Costs one more upstream call.
  """
  maintenance: Maintenance @read(operation: "getMaintenance")
}

extend type Mutation {
  """
  Changes when a service may be restarted.
  """
  updateMaintenance(
    """
    The service, and the time.
    """
    input: UpdateMaintenanceInput!
  ): UpdateMaintenancePayload! @write(operation: "updateMaintenance")
}

"""
When a service may be restarted.
"""
type Maintenance @value {
  """
  Time of day in UTC.
  """
  startsAt: String
}

"""
A new time for restarts.
"""
input UpdateMaintenanceInput {
  """
  UUID of the organization that owns the service.
  """
  organizationId: ID!

  """
  UUID of the service.
  """
  serviceId: ID!

  """
  Time of day in UTC.
  """
  startsAt: String
}

"""
Result of \`updateMaintenance\`.
"""
type UpdateMaintenancePayload {
  """
  The time after the change.
  """
  maintenance: Maintenance

  """
  Why nothing was changed. Empty when the mutation succeeded.
  """
  userErrors: [UserError!]!
}
`;

const rows = `import { get, patch, type Wire } from '../../operation.ts';

export type MaintenanceRecord = Wire<{ startsAt: string }>;

const path = '/v1/organizations/{organizationId}/services/{serviceId}/maintenance';

export const rows = {
  getMaintenance: get(path, { freshSeconds: 30 }).one<MaintenanceRecord>(),

  updateMaintenance: patch(path, { changes: ['getMaintenance', 'listActivities'] })
    .body<MaintenanceRecord>()
    .one<MaintenanceRecord>(),
};
`;

const resolvers = `import type { MutationResolvers, ServiceResolvers } from '../generated/schema.ts';
import { update } from './mutation.ts';
import type { RootsOf } from './values.ts';

export const Service: ServiceResolvers = {
  maintenance: ({ organizationId, id }, _, { upstream }) =>
    upstream.management.getMaintenance({ organizationId, serviceId: id }),
};

export const Mutation: RootsOf<MutationResolvers, 'updateMaintenance'> = {
  updateMaintenance: update<'updateMaintenance'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => ({
      maintenance: await upstream.management.updateMaintenance({ organizationId, serviceId }, body),
    }),
  ),
};
`;

const created: Readonly<Record<string, string>> = {
  'schema/maintenance.graphql': sdl,
  'src/upstream/management/rows/maintenance.ts': rows,
  'src/resolvers/maintenance.ts': resolvers,
};

const path = '/v1/organizations/{organizationId}/services/{serviceId}/maintenance';

/** Files that exist, each with texts and what stands after them. */
const changed: Readonly<Record<string, readonly (readonly [after: string, added: string])[]>> = {
  'sandbox/management/services.ts': [
    [
      'state: ManagementState<unknown>): readonly Route<ApiKey>[] => [\n',
      `  route('GET', '${path}', (call) => findService(state, call) && { startsAt: '02:00' }),
  route('PATCH', '${path}', (call) => findService(state, call) && { startsAt: '03:00' }),
`,
    ],
  ],
  'test/operations/table.ts': [
    [
      '        backupConfiguration: read.backupConfiguration,\n',
      "        maintenance: { startsAt: '02:00' },\n",
    ],
    [
      '/backupConfiguration`, wire.backupConfiguration],\n',
      `    [\`GET \${staging}/maintenance\`, { startsAt: '02:00' }],\n`,
    ],
    [
      ', wire.organization, renamed],\n    getOrganization,\n  ),\n',
      `  UpdateMaintenance: write(
    { ...ofProduction, startsAt: '03:00' },
    { maintenance: { startsAt: '03:00' } },
    [\`PATCH \${production}/maintenance\`, { startsAt: '03:00' }, { startsAt: '03:00' }],
  ),
`,
    ],
  ],
};

let copy = '';

const inCopy = async (...command: readonly [string, ...string[]]) => {
  const { code, text, errors } = await run({ HOME: process.env.HOME ?? '' }, command, copy).ended;
  return { code, told: text + errors };
};

const works = { code: 0, told: expect.any(String) };

beforeAll(() => {
  copy = copyRepository('new-operation');
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

it('a read and a write are three new files in schema/ and src/, and at most eight in all', async () => {
  for (const [file, text] of Object.entries(created)) writeFileSync(join(copy, file), text);
  for (const [file, additions] of Object.entries(changed)) {
    let text = readFileSync(join(copy, file), 'utf8');
    for (const [after, added] of additions) {
      expect(text).toContain(after);
      text = text.replace(after, () => after + added);
    }
    writeFileSync(join(copy, file), text);
  }
  const byHand = [...Object.keys(created), ...Object.keys(changed)];
  const ofSource = byHand.filter((file) => /^(schema|src)\//.test(file));
  expect(ofSource).toEqual(Object.keys(created));
  expect(byHand.length).toBeLessThanOrEqual(8);

  expect(await inCopy('npm', 'run', 'generate')).toEqual(works);
  expect(await inCopy('npx', 'tsc', '--noEmit')).toEqual(works);
  expect(await inCopy('npm', 'run', 'check:schema')).toEqual(works);
  const names =
    'Service makes|Nodes? makes|UpdateMaintenance|has a row|Service.maintenance|getMaintenance';
  const tests = ['test/operations/table.test.ts', 'test/calls/early-reads.test.ts'];
  const args = [
    'vitest',
    'run',
    '--reporter=verbose',
    '--project',
    'fast',
    ...tests,
    '-t',
    names,
  ] as const;
  const { code, told } = await inCopy('npx', ...args);
  expect([code, told]).toEqual([0, expect.stringContaining('Service.maintenance is read in')]);
  expect(told).toContain('UpdateMaintenance makes exactly its calls');
});

it.each([
  [
    'a name in a directive that does not exist',
    ['"getMaintenance"', '"getNone"'],
    'Service.maintenance in schema/maintenance.graphql names getNone, which is no read of src/upstream/.',
  ],
  [
    'a directive that does not exist',
    ['@write', '@wrote'],
    'Mutation.updateMaintenance in schema/maintenance.graphql:17 is not valid: Unknown directive "@wrote".',
  ],
  [
    'an argument that does not exist',
    ['(operation:', '(opration:'],
    'Service.maintenance in schema/maintenance.graphql:5 is not valid: Unknown argument "opration" on directive "@read". Did you mean "operation"?',
  ],
  [
    'an argument of another type',
    ['"getMaintenance"', '3'],
    'Service.maintenance in schema/maintenance.graphql:5 is not valid: String cannot represent a non string value: 3',
  ],
  [
    'what is no SDL',
    ['type Maintenance', 'typ Maintenance'],
    'schema/maintenance.graphql:20 is not valid: Syntax Error: Unexpected description, only GraphQL definitions support descriptions.',
  ],
  [
    'a resolver without a field',
    ['maintenance: Maintenance @read', 'other: Maintenance @read'],
    'schema/ is not valid: Service.maintenance defined in resolvers, but not in schema',
  ],
] as const)('%s stops the start with one sentence', async (_, [text, wrong], message) => {
  writeFileSync(join(copy, 'schema/maintenance.graphql'), sdl.replace(text, wrong));
  const env = {
    MANAGEMENT_URL: 'http://127.0.0.1:1',
    OBSERVABILITY_URL: 'http://127.0.0.1:1',
    PORT: '0',
  };
  const { code, errors } = await run(env, [process.execPath, 'src/main.ts'], copy).ended;
  expect([code, errors]).toEqual([1, `Sluice cannot start:\n  ${message}\n`]);
  writeFileSync(join(copy, 'schema/maintenance.graphql'), sdl);
});

it.each([
  [
    'two resolvers of one field',
    'src/resolvers',
    resolvers,
    'resolver of Mutation.updateMaintenance',
  ],
  ['two rows of one name', 'src/upstream/management/rows', rows, 'row getMaintenance'],
])('%s are refused', async (_, folder, text, what) => {
  const file = join(copy, folder, 'twice.ts');
  writeFileSync(file, text);
  const { code, told } = await inCopy(process.execPath, 'operations/generate.ts');
  expect([code, told]).toEqual([
    1,
    expect.stringContaining(`${folder}/maintenance.ts and twice.ts both have the ${what}.`),
  ]);
  rmSync(file);
});
