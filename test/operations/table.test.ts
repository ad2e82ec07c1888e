import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  data as observed,
  result,
  type Stack,
  useSandboxStack,
  useStack,
} from '../support/harness.ts';
import { answerTo, documents } from '../support/operations.ts';
import { profiles, type Row, rows } from './table.ts';

/** An answer without what is null. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The identifier of the object in the answer to a mutation. */
const changedId = (data: unknown): string => {
  const [payload] = Object.values(Object(data));
  return String(Object.values(Object(payload)).find(isObject)?.id);
};

const expectCalls = ({ calls }: Stack, row: Row, data?: unknown) => {
  // A new object has another identifier in the demo.
  const sentCalls = calls.map(({ method, path, body }) => ({
    line: `${method} ${row.data ? path.replace(changedId(data), changedId(row.data)) : path}`,
    body,
  }));
  expect(sentCalls.map(({ line }) => line).sort()).toEqual(row.calls.map(([line]) => line).sort());
  for (const { line, body: sent } of sentCalls) {
    const [, , body] = row.calls.find(([each]) => each === line) ?? [];
    if (/^(?:GET|DELETE) /.test(line)) expect([line, sent]).toEqual([line, '']);
    else if (body !== undefined) expect(sent).toBe(JSON.stringify(body));
  }
};

/** The codes of the errors in an answer, each once. */
const codesOf = ({ errors = [] }: { errors?: readonly AnswerError[] }) => [
  ...new Set(errors.map(({ extensions }) => extensions.code)),
];

const ofProfile = (profile: Row['profile']) =>
  Object.entries(rows).filter(([, row]) => row.profile === profile);

/** The key for management counts for both, where both are one upstream. */
const oneKey = { 'observability-authorization': '' };

it('test/operations/table.ts has a row for each operation of operations/', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(documents).sort());
});

describe.each([
  ['the documented interfaces', undefined],
  ['the live services', 'live'],
  ['ClickStack in Cloud', 'clickstack-cloud'],
] as const)('with stubs of %s', (_, profile) => {
  let row: Row;
  const answering =
    (wrap: typeof result) =>
    ({ method, path }: { method: string; path: string }) =>
      wrap(row.calls.find(([line]) => line === `${method} ${path}`)?.[1]);
  const [management, observability] = [answering(result), answering(observed)];
  const stack = useStack({ management, observability, config: profile ? profiles[profile] : {} });

  it.each(ofProfile(profile).filter(([, { data }]) => data !== undefined))(
    '%s makes exactly its calls, and answers all that they say',
    async (name, each) => {
      row = each;
      const headers = profile === 'clickstack-cloud' ? oneKey : {};
      const { body } = await answerTo(stack, name, row.variables, headers);
      expectCalls(stack, row);
      expect(body.errors).toBeUndefined();
      expect(withoutNulls(body.data)).toEqual(row.data);
    },
  );
});

describe.each([
  ['the demo', undefined],
  ['the demo with --profile live', 'live'],
  ['the demo with --profile clickstack-cloud', 'clickstack-cloud'],
] as const)('in %s', (_, profile) => {
  let time = Date.parse('2026-11-21T10:00:00Z');
  const stack = useSandboxStack({
    sandbox: { clock: () => new Date(time), ...(profile && { profile }) },
    config: profile ? profiles[profile] : {},
  });
  beforeEach(() => {
    // Long enough for a pipe to have stopped.
    time += 60_000;
  });

  it.each(ofProfile(profile))('%s succeeds with the same calls', async (name, row) => {
    const { management, observability } = stack.sandbox.credentials;
    const { body } = await answerTo(stack, name, row.variables, {
      'management-authorization': management.admin.header,
      'observability-authorization': observability.main.header,
      ...(profile === 'clickstack-cloud' && oneKey),
    });
    expect(codesOf(body), JSON.stringify(body.errors)).toEqual(row.codes ?? []);
    expectCalls(stack, row, body.data);
    for (const value of Object.values<unknown>(body.data)) {
      expect(value).not.toBeNull();
      expect(value).not.toEqual([]);
      if (isObject(value) && 'userErrors' in value) expect(value.userErrors).toEqual([]);
    }
  });

  if (!profile) {
    it.each([...ofProfile('live'), ...ofProfile('clickstack-cloud')])(
      '%s is unavailable, without a further call',
      async (name, row) => {
        const { body } = await answerTo(stack, name, row.variables);
        expect(codesOf(body)).toEqual(['OPERATION_UNAVAILABLE']);
        expect(stack.callList()).toEqual(row.callsElsewhere ?? []);
      },
    );
  }

  it('leaves no complaint in the log', () => {
    const lines = stack.complaints().split('\n');
    expect(lines.filter((line) => !line.includes('"msg":"subscription"'))).toEqual(['']);
  });
});
