import type { IncomingMessage } from 'node:http';
import { type ExecutionResult, type FieldNode, Kind, parse, print, visit } from 'graphql';
import { type Answering, type Stack, type StackOptions, stackInTest } from './harness.ts';
import { open } from './subscribe.ts';
import { createBackend } from './world/backend.ts';
import { shortCall, withIds } from './world/ids.ts';
import { type Sizes, worldOf } from './world/worlds.ts';

/** The `accept` header of clients that accept parts: Apollo Client, and any client of events. */
export const multipart = 'multipart/mixed;deferSpec=20220824,application/json';
export const events = 'text/event-stream';

const deferBelow = (field: FieldNode): FieldNode => {
  if (!field.selectionSet) return field;
  const directives = [{ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'defer' } }] as const;
  const { selectionSet } = field;
  const selections = [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet }] as const;
  return { ...field, selectionSet: { kind: Kind.SELECTION_SET, selections } };
};

/** The operation with `@defer` on everything below the root. */
export const deferred = (document: string): string =>
  print(visit(parse(document), { Field: { leave: deferBelow } }));

type Path = readonly (string | number)[];

/** A part, as received. */
export interface Part {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly incremental?: readonly {
    readonly data: unknown;
    /** In the form `v0.2` a part has the id of what was pending in its place. */
    readonly path: Path;
    readonly id?: string;
    readonly subPath?: Path;
    readonly label?: string;
    readonly errors?: readonly { readonly message: string; readonly extensions: object }[];
  }[];
  readonly pending?: readonly { readonly id: string; readonly path: Path }[];
  readonly completed?: readonly { readonly id: string; readonly errors?: readonly unknown[] }[];
  readonly hasNext?: boolean;
  readonly extensions?: ExecutionResult['extensions'];
}

interface Options {
  readonly accept?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A part of a multipart body stands between two lines of three hyphens, its head ended by an empty line. */
const ofBlock = (block: string): readonly string[] => {
  const body = block.slice(block.indexOf('\r\n\r\n')).trim();
  return body === '' ? [] : [body];
};

const ofEvent = (event: string): readonly string[] =>
  event.startsWith('event: next\n') ? [event.slice(event.indexOf('data: ') + 'data: '.length)] : [];

/** Finds the parts in a text that grows; each text is looked at once. */
const partsReader = (type: string): ((text: string) => readonly string[]) => {
  const isMultipart = type.startsWith('multipart/mixed');
  if (!isMultipart && !type.startsWith('text/event-stream')) return () => [];
  const [end, read] = isMultipart ? (['\r\n---', ofBlock] as const) : (['\n\n', ofEvent] as const);
  let rest: string[] = [];
  return (text) => {
    const border = (rest.at(-1) ?? '').slice(-end.length);
    rest.push(text);
    if (!(border + text).includes(end)) return [];
    const blocks = rest.join('').split(end);
    rest = [blocks.pop() ?? ''];
    return blocks.flatMap(read);
  };
};

/** Sends an operation with plain HTTP, and collects the parts of its response as they arrive. */
export const askInParts = (
  stack: Pick<Stack, 'url'>,
  query: string,
  { accept = multipart, variables, headers = {} }: Options = {},
) => {
  /** The parts so far. */
  const parts: Part[] = [];
  let text = '';
  /** The response's head; empty until it has arrived. */
  let head: Pick<IncomingMessage, 'headers'> & { readonly status?: number | undefined } = {
    headers: {},
  };
  const ended = Promise.withResolvers<readonly Part[]>();
  const sent = { ...(accept && { accept }), ...headers };
  const request = open(stack.url, query, { variables, headers: sent });
  request.on('response', (response) => {
    const type = response.headers['content-type'] ?? '';
    head = { status: response.statusCode, headers: response.headers };
    response.setEncoding('utf8');
    const read = partsReader(type);
    response.on('data', (chunk: string) => {
      text += chunk;
      for (const part of read(chunk)) parts.push(JSON.parse(part));
    });
    response.on('close', () => {
      if (type.startsWith('application/')) parts.push(JSON.parse(text));
      ended.resolve(parts);
    });
  });
  request.on('error', () => ended.resolve(parts));
  return {
    parts: parts as readonly Part[],
    /** Resolves with all parts when the response has ended, or its connection has closed. */
    ended: ended.promise,
    head: () => head,
    /** The received text. */
    text: () => text,
    leave: () => void request.destroy(),
  };
};

const isObject = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;

const mergeInto = (target: unknown, source: unknown): unknown => {
  if (!isObject(target) || !isObject(source)) return source;
  for (const [key, value] of Object.entries(source)) target[key] = mergeInto(target[key], value);
  return target;
};

interface WorldOptions extends Omit<Partial<StackOptions>, 'management'> {
  /** Answers the reads of pipes in place of the world. */
  readonly pipes?: Answering;
}

/** A gateway in front of a world, until the test ends; documents may have the names that `world/ids.ts` replaces. */
export const startInParts = async (
  sizes: Partial<Sizes>,
  { pipes, ...options }: WorldOptions = {},
) => {
  const { management, observability } = createBackend(worldOf(sizes));
  const stack = await stackInTest({
    ...{ observability, ...options },
    management: (call) => (pipes && call.path.endsWith('/pipes') ? pipes(call) : management(call)),
  });
  return {
    ...{ ...stack, management },
    inParts: (document: string, options?: Options) => askInParts(stack, withIds(document), options),
    ask: (document: string, options?: Parameters<Stack['query']>[1]) =>
      stack.query(withIds(document), options),
    sent: () => stack.calls.map(shortCall),
  };
};

/** The data of a response, with all parts merged by their paths. */
export const assembled = (parts: readonly Part[]): unknown => {
  const root = { data: structuredClone(parts[0]?.data) };
  const pending = new Map(
    parts.flatMap(({ pending = [] }) => pending.map(({ id, path }) => [id, path])),
  );
  for (const part of parts.flatMap(({ incremental = [] }) => incremental)) {
    const { data, id = '', subPath = [], path = [...(pending.get(id) ?? []), ...subPath] } = part;
    const whole = [...path].reduceRight<unknown>((below, key) => ({ [key]: below }), data);
    mergeInto(root, { data: structuredClone(whole) });
  }
  return root.data;
};
