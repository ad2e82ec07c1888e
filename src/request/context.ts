import type { FieldNode, GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { isObject } from '../is-object.ts';
import { createLoaders, type Loaders } from '../loaders/index.ts';
import type { UpstreamError } from '../upstream/error.ts';
import type { Upstream, UpstreamCaller, Upstreams } from '../upstream/index.ts';
import type { ServiceIds } from '../upstream/observability/clickstack.ts';
import { createPlan, type Plan } from '../upstream/plan.ts';
import { Turns } from '../yield.ts';

/** The data that the resolvers of one request share. It does not expose credentials. */
export interface Context {
  readonly upstream: Upstream;
  readonly loaders: Loaders;
  readonly turns: Turns;
  /** Failures of reads that the response reports as data, or omits, instead of errors. */
  readonly unread: UpstreamError[];
  /** The coordinates of the fields that do not work with this gateway. */
  readonly unavailableFields: readonly string[];
  /** The service whose ClickStack is meant where an operation names none. */
  readonly clickstackService: ServiceIds | undefined;
  /** Clients for reads that begin before their fields are resolved; see `Client.early`. */
  early(): Upstream;
  /** Where writes are only planned: what they would be. */
  readonly plan?: Plan | undefined;
  /** Set only while an operation is executed whose response comes in parts. */
  readonly parts?: PartsContext | undefined;
}

/** What counting the value of a field needs. */
export type ResolvedField = Pick<GraphQLResolveInfo, 'fieldNodes' | 'returnType'>;

/** How to resolve fields of an operation whose response comes in parts. */
interface PartsContext {
  /** The context of a field, by its nodes. Reads of deferred fields are sent after all other reads. */
  of(nodes: readonly FieldNode[]): Context;
  /** Calls a field's resolver, and counts its value in the size of the response. */
  resolve(field: ResolvedField, resolve: () => unknown): unknown;
}

/** Makes the clients for early reads at the first call. */
const earlyOf = ({ management, observability }: Upstream): (() => Upstream) => {
  let early: Upstream | undefined;
  return () => {
    early ??= { management: management.early(), observability: observability.early() };
    return early;
  };
};

/** The part of the context that all requests share. */
export type GatewayFacts = Pick<Context, 'unavailableFields' | 'clickstackService'>;

/** Binds upstreams and loaders to one request. Nothing of it outlives the request. */
export const createContext = (
  upstreams: Upstreams,
  facts: GatewayFacts,
  caller: UpstreamCaller,
): Context => {
  const upstream = upstreams.bind(caller);
  const turns = new Turns();
  return {
    upstream,
    loaders: createLoaders(upstream, turns),
    turns,
    unread: [],
    ...facts,
    early: earlyOf(upstream),
  };
};

/** The context of changes that are only planned. Each goes the same way as a real one, up to its writes. */
export const planning = (context: Context, plan = createPlan()): Context & { plan: Plan } => {
  const { management, observability } = context.upstream;
  const upstream = {
    management: management.planning(plan),
    observability: observability.planning(plan),
  };
  return { ...context, upstream, plan };
};

/** Whether a value is the gateway's context. An operation has Yoga's context until the gateway's is made. */
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
  const { upstream } = whole;
  let all: { readonly prompt: Context; readonly later: Context } | undefined;

  const create = () => {
    const deferred: Upstream = {
      management: upstream.management.deferred(),
      observability: upstream.observability.deferred(),
    };
    return {
      prompt: { ...whole, parts },
      later: { ...whole, upstream: deferred, early: earlyOf(deferred), parts },
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

/** Makes a resolver that gets its field's own context if the operation has several contexts. */
export const inPartsToo =
  (resolve: Resolve): Resolve =>
  (parent, args, context, info) => {
    const { parts } = context;
    if (!parts) return resolve(parent, args, context, info);
    const { fieldNodes } = info;
    return parts.resolve(info, () => resolve(parent, args, parts.of(fieldNodes), info));
  };
