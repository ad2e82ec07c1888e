import { describe, expect, it } from 'vitest';
import {
  expectInvalidDocument,
  expectInvalidVariables,
  expectRefusal,
  expectSent,
  useStack,
} from '../support/refusals.ts';

const ids = {
  organizationId: '0a9a0000-0000-4000-8000-000000000001',
  serviceId: '5e4c0000-0000-4000-8000-000000000001',
};
const pipeIds = { ...ids, pipeId: '919e0000-0000-4000-8000-000000000001' };
const stack = useStack();

const source = { kinesis: {} };
const wireSource = '"source":{"kinesis":{}}';
const destination = { columns: [{ name: 'id' }, { name: 'day' }] };
const wireDestination = '"destination":{"columns":[{"name":"id"},{"name":"day"}]}';
const id = { sourceField: '$.i', destinationField: 'id' };
const day = { sourceField: '$.d', destinationField: 'day' };
const wireId = '{"sourceField":"$.i","destinationField":"id"}';
const wireDay = '{"sourceField":"$.d","destinationField":"day"}';

describe('field mappings', () => {
  it.each([
    {
      title: 'exactly the columns, in any order',
      input: { destination, fieldMappings: [day, id] },
      body: `{${wireDestination},"fieldMappings":[${wireDay},${wireId}],${wireSource}}`,
    },
    {
      title: 'more than the columns',
      input: { destination: { columns: [{ name: 'id' }] }, fieldMappings: [id, day] },
      body: `{"destination":{"columns":[{"name":"id"}]},"fieldMappings":[${wireId},${wireDay}],${wireSource}}`,
    },
    {
      title: 'none for no columns',
      input: { destination: { columns: [] }, fieldMappings: [] },
      body: `{"destination":{"columns":[]},"fieldMappings":[],${wireSource}}`,
    },
    {
      title: 'none where the columns are not given',
      input: { destination: { table: 't' }, fieldMappings: null },
      body: `{"destination":{"table":"t"},"fieldMappings":null,${wireSource}}`,
    },
  ])('of a new pipe that cover $title are sent', async ({ input, body }) => {
    await expectSent(stack(), 'createPipe', { ...ids, source, ...input }, body);
  });

  it.each([
    { title: 'one column', fieldMappings: [id], lacking: ['"day"'] },
    { title: 'every column', fieldMappings: [], lacking: ['"id"', '"day"'] },
    {
      title: 'a column but for its case',
      fieldMappings: [id, { ...day, destinationField: 'Day' }],
      lacking: ['"day"'],
    },
    {
      title: 'a column, which stands as a source only',
      fieldMappings: [id, { sourceField: 'day', destinationField: 'id' }],
      lacking: ['"day"'],
    },
    { title: 'all, being null', fieldMappings: null, lacking: ['"id"', '"day"'] },
    { title: 'all, being absent', fieldMappings: undefined, lacking: ['"id"', '"day"'] },
  ])('of a new pipe that lack $title are refused before any call', async (row) => {
    const input = { ...ids, source, destination, fieldMappings: row.fieldMappings };
    await expectRefusal(stack(), 'createPipe', input, [
      { field: ['fieldMappings'], names: ['fieldMappings', 'every', ...row.lacking] },
    ]);
  });

  it.each([
    { lacking: 1, end: 'lacks "c1".' },
    { lacking: 20, end: '"c19", "c20".' },
    { lacking: 21, end: '"c19", "c20" and others.' },
  ])('of a new pipe that lack $lacking columns name at most 20', async ({ lacking, end }) => {
    const columns = Array.from({ length: lacking }, (_, index) => ({ name: `c${index + 1}` }));
    const input = { ...ids, source, destination: { columns } };
    const [message] = await expectRefusal(stack(), 'createPipe', input, [
      { field: ['fieldMappings'], names: [] },
    ]);
    expect(message?.slice(-end.length)).toBe(end);
  });

  it('of a pipe that exists need not cover the columns', async () => {
    const input = { ...pipeIds, destination, fieldMappings: [id] };
    const body = `{${wireDestination},"fieldMappings":[${wireId}]}`;
    await expectSent(stack(), 'updatePipe', input, body);
  });
});

describe('a source that is not given', () => {
  const rows = [
    { title: 'absent', input: {}, body: '{}' },
    { title: 'null', input: { source: null }, body: '{"source":null}' },
    {
      title: 'absent beside validateSamples',
      input: { validateSamples: true },
      body: '{"source":{"validateSamples":true}}',
    },
    {
      title: 'null beside validateSamples',
      input: { source: null, validateSamples: false },
      body: '{"source":{"validateSamples":false}}',
    },
  ];
  const names = ['source', 'exactly one', 'kafka', 'objectStorage', 'kinesis', 'postgres'];

  it.each(rows)('$title, refuses a new pipe before any call', async ({ input }) => {
    await expectRefusal(stack(), 'createPipe', { ...ids, name: 'p', ...input }, [
      { field: ['source'], names },
    ]);
  });

  it.each(rows)('$title, leaves a pipe that exists with its own', async ({ input, body }) => {
    await expectSent(stack(), 'updatePipe', { ...pipeIds, ...input }, body);
  });

  it('is reported beside the field mappings that lack', async () => {
    await expectRefusal(stack(), 'createPipe', { ...ids, destination }, [
      { field: ['source'], names },
      { field: ['fieldMappings'], names: ['"id"', '"day"'] },
    ]);
  });
});

describe.each([
  { field: 'createPipe', type: 'CreatePipeInput', ids },
  { field: 'updatePipe', type: 'UpdatePipeInput', ids: pipeIds },
])('the source of $field', ({ field, type, ids }) => {
  it.each([
    {
      title: 'may be one kind',
      input: { source: { kinesis: { iamRole: 'r' } } },
      body: '{"source":{"kinesis":{"iamRole":"r"}}}',
    },
    {
      title: 'may be a kind without members',
      input: { source: { postgres: {} } },
      body: '{"source":{"postgres":{}}}',
    },
    {
      title: 'takes in a validateSamples of null',
      input: { source: { kafka: {} }, validateSamples: null },
      body: '{"source":{"kafka":{},"validateSamples":null}}',
    },
  ])('$title', async ({ input, body }) => {
    await expectSent(stack(), field, { ...ids, ...input }, body);
  });

  const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, '$1: ');

  const oneOf = 'PipeSourceInput';
  it.each([
    { title: 'of no kind', source: {}, named: oneOf },
    { title: 'of two kinds', source: { kafka: {}, postgres: {} }, named: oneOf },
    { title: 'of a kind that is null', source: { kafka: null }, named: 'kafka' },
    {
      title: 'of one kind and another that is null',
      source: { kafka: {}, kinesis: null },
      named: oneOf,
    },
    { title: 'of a kind beyond the reference', source: { mqtt: {} }, named: 'mqtt' },
    {
      title: 'with validateSamples inside',
      source: { kafka: {}, validateSamples: true },
      named: 'validateSamples',
    },
  ])('$title is refused before any call, as variable and as literal', async ({ source, named }) => {
    const input = { ...ids, source };
    await expectInvalidVariables(
      stack(),
      `mutation ($input: ${type}!) { ${field}(input: $input) { userErrors { code } } }`,
      { input },
      [named],
    );
    await expectInvalidDocument(
      stack(),
      `mutation { ${field}(input: ${literal(input)}) { userErrors { code } } }`,
      [named],
    );
  });
});
