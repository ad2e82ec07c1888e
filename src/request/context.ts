import type { FieldNode, GraphQLFieldResolver } from 'graphql';
import { isObject } from '../is-object.ts';
import { createLoaders, type Loaders } from '../loaders/index.ts';
import type { UpstreamError } from '../upstream/error.ts';
import type { Upstream, UpstreamCaller, Upstreams } from '../upstream/index.ts';

/** What resolvers share for the length of one request. Credentials are out of their reach. */
export interface Context {
  readonly upstream: Upstream;
  readonly loaders: Loaders;
  /** What reads failed with whose failures the answer reports as data, in place of errors. */
  readonly unread: UpstreamError[];
  /** Only while an operation is executed whose response comes in parts. */
  readonly parts?: PartsContext | undefined;
}

/** What the fields of an operation are resolved with whose response comes in parts. */
interface PartsContext {
  /** The context of a field, by its nodes: the reads of one that comes later are sent after all others. */
  of(nodes: readonly FieldNode[]): Context;
  /** What a field's resolver gives, counted. */
  resolve(nodes: readonly FieldNode[], resolve: () => unknown): unknown;
}

/** Binds upstreams and loaders to one request; nothing of it outlives the request. */
export const createContext = (upstreams: Upstreams, caller: UpstreamCaller): Context => {
  const upstream = upstreams.bind(caller);
  return { upstream, loaders: createLoaders(upstream), unread: [] };
};

/** Whether it is a context of the gateway: before one is made, an operation has that of Yoga. */
export const isContext = (value: unknown): value is Context =>
  isObject(value) && 'upstream' in value && 'loaders' in value;

export interface PartsOptions {
  /** Whether a field comes in a later part. */
  readonly isDeferred: (nodes: readonly FieldNode[]) => boolean;
  /** Resolves a field, and counts its value in the size of the response. */
  readonly resolve: PartsContext['resolve'];
}

/** The context of a request for an operation whose response comes in parts. */
export const withParts = (
  { upstream, loaders: own, unread }: Context,
  { isDeferred, resolve }: PartsOptions,
): Context => {
  let all: { readonly prompt: Context; readonly later: Context } | undefined;

  const create = () => {
    const deferred: Upstream = {
      management: upstream.management.deferred(),
      observability: upstream.observability.deferred(),
    };
    const laterLoaders = createLoaders(deferred, own.choices);
    const forget = (): void => {
      own.forget();
      laterLoaders.forget();
    };
    return {
      prompt: { upstream, loaders: { ...own, forget }, unread, parts },
      later: { upstream: deferred, loaders: { ...laterLoaders, forget }, unread, parts },
    };
  };
  const parts: PartsContext = {
    of: (nodes) => {
      all ??= create();
      return isDeferred(nodes) ? all.later : all.prompt;
    },
    resolve,
  };
  return { upstream, loaders: own, unread, parts };
};

type Resolve = GraphQLFieldResolver<unknown, Context>;

/** Makes a resolver that is given the context of its field, where the fields of an operation have several. */
export const inPartsToo =
  (resolve: Resolve): Resolve =>
  (parent, args, context, info) => {
    const { parts } = context;
    if (!parts) return resolve(parent, args, context, info);
    const { fieldNodes } = info;
    return parts.resolve(fieldNodes, () => resolve(parent, args, parts.of(fieldNodes), info));
  };
