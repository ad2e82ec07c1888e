import type { FieldNode, GraphQLFieldResolver } from 'graphql';
import { isObject } from '../is-object.ts';
import { createLoaders, type Loaders } from '../loaders/index.ts';
import type { UpstreamError } from '../upstream/error.ts';
import type { Upstream, UpstreamCaller, Upstreams } from '../upstream/index.ts';
import { Turns } from '../yield.ts';

/** Resolvers share this for one request. It does not expose credentials. */
export interface Context {
  readonly upstream: Upstream;
  readonly loaders: Loaders;
  readonly turns: Turns;
  /** Failures of reads that the answer reports as data, or does without, instead of errors. */
  readonly unread: UpstreamError[];
  /** The coordinates of the fields that do not work with this gateway. */
  readonly unavailableFields: readonly string[];
  /** Set only while an operation is executed whose response comes in parts. */
  readonly parts?: PartsContext | undefined;
}

/** How to resolve fields of an operation whose response comes in parts. */
interface PartsContext {
  /** The context of a field, by its nodes. Reads of deferred fields are sent after all other reads. */
  of(nodes: readonly FieldNode[]): Context;
  /** Calls a field's resolver, and counts its value in the size of the response. */
  resolve(nodes: readonly FieldNode[], resolve: () => unknown): unknown;
}

/** Binds upstreams and loaders to one request. Nothing of it outlives the request. */
export const createContext = (
  upstreams: Upstreams,
  unavailableFields: readonly string[],
  caller: UpstreamCaller,
): Context => {
  const upstream = upstreams.bind(caller);
  const turns = new Turns();
  return {
    upstream,
    loaders: createLoaders(upstream, turns),
    turns,
    unread: [],
    unavailableFields,
  };
};

/** Whether it is a context of the gateway. Before that is made, an operation has Yoga's context. */
export const isContext = (value: unknown): value is Context =>
  isObject(value) && 'upstream' in value && 'loaders' in value;

export interface PartsOptions {
  /** Whether a field comes in a later part. */
  readonly isDeferred: (nodes: readonly FieldNode[]) => boolean;
  /** Resolves a field, and counts its value in the size of the response. */
  readonly resolve: PartsContext['resolve'];
}

/** The context of a request for an operation whose response comes in parts. */
export const withParts = (whole: Context, { isDeferred, resolve }: PartsOptions): Context => {
  const { upstream, loaders: own } = whole;
  let all: { readonly prompt: Context; readonly later: Context } | undefined;

  const create = () => {
    const deferred: Upstream = {
      management: upstream.management.deferred(),
      observability: upstream.observability.deferred(),
    };
    const laterLoaders = createLoaders(deferred, whole.turns, own.choices);
    return {
      prompt: { ...whole, parts },
      later: { ...whole, upstream: deferred, loaders: laterLoaders, parts },
    };
  };
  const parts: PartsContext = {
    of: (nodes) => {
      all ??= create();
      return isDeferred(nodes) ? all.later : all.prompt;
    },
    resolve,
  };
  return { ...whole, parts };
};

type Resolve = GraphQLFieldResolver<unknown, Context>;

/** Makes a resolver that gets the context of its field, if the fields of an operation have several contexts. */
export const inPartsToo =
  (resolve: Resolve): Resolve =>
  (parent, args, context, info) => {
    const { parts } = context;
    if (!parts) return resolve(parent, args, context, info);
    const { fieldNodes } = info;
    return parts.resolve(fieldNodes, () => resolve(parent, args, parts.of(fieldNodes), info));
  };
