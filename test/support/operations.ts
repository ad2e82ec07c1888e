import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { concatAST, type DocumentNode, parse, print, separateOperations } from 'graphql';
import type { Stack } from './harness.ts';
import { subscribe } from './subscribe.ts';

const folder = fileURLToPath(new URL('../../operations/', import.meta.url));
const read = (path: string): string => readFileSync(`${folder}${path}`, 'utf8');

/** JSON objects by name. */
type Variables = Readonly<Record<string, unknown>>;

/** The files of operations/, by their paths in it; the tools of agents have tests of their own. */
export const files: ReadonlyMap<string, DocumentNode> = new Map(
  globSync('{*,screens/*}.graphql', { cwd: folder })
    .sort()
    .map((path) => [path, parse(read(path))]),
);

/** Each operation of operations/ with the fragments that it needs, by its name. */
export const documents: Readonly<Record<string, DocumentNode>> = separateOperations(
  concatAST([...files.values()]),
);

/** The content of `operations/variables.json`, by operation name. */
export const samples: Readonly<Record<string, Variables>> = JSON.parse(read('variables.json'));

/** Whether an operation is a subscription, which is answered with an event stream. */
export const isSubscription = (name: string): boolean =>
  documents[name]?.definitions.some(
    (each) => each.kind === 'OperationDefinition' && each.operation === 'subscription',
  ) === true;

/** The sample variables of an operation. */
export const variablesOf = (name: string): Variables => samples[name] ?? {};

/** The text of an operation, followed by its fragments. */
export const textOf = (name: string): string => {
  const document = documents[name];
  if (!document) throw new Error(`operations/ has no operation ${name}`);
  const [operation, fragments] = [true, false].map((isFirst) =>
    document.definitions.filter(({ kind }) => (kind === 'OperationDefinition') === isFirst),
  );
  return print({ ...document, definitions: [...(operation ?? []), ...(fragments ?? [])] });
};

/** The answer to an operation, or its first event. Nothing that was read before answers it. */
export const answerTo = async (
  stack: Stack,
  name: string,
  variables: unknown,
  credentials: Readonly<Record<string, string>> = {},
) => {
  const headers = { 'cache-control': 'no-cache', ...credentials };
  if (!isSubscription(name)) return await stack.query(textOf(name), { variables, headers });
  const stream = await subscribe(stack.url, textOf(name), { variables, headers });
  const event = await stream.event(1);
  stream.leave();
  await stream.ended;
  return { body: event, headers: undefined };
};
