import { type GraphQLResolveInfo, OperationTypeNode } from 'graphql';
import type { Context } from './context.ts';

/** Finds what a link leads to. It is told all that it may need: many links of one kind can do with one such function. */
type FindEnd<To, Found> = (to: To, context: Context, info: GraphQLResolveInfo) => Found;

/**
 * What links between entities lead to: a hundred alerts of ten dashboards find ten, and their fields are
 * completed ten times. Lifetime: one request.
 */
export interface Links {
  /**
   * What the link that is being resolved leads to, found once for each selection. A mutation finds it each time: what
   * it leads to may have changed.
   *
   * @param to equal for links to the same thing; undefined for one that is like no other
   */
  follow<To extends string | undefined, Found>(
    to: To,
    find: FindEnd<To, Found>,
    context: Context,
    info: GraphQLResolveInfo,
  ): Found;
}

class RequestLinks implements Links {
  /** By the array of nodes, which is the same for all values of a field in one execution. */
  #ends: Map<GraphQLResolveInfo['fieldNodes'], Map<string, unknown>> | undefined;

  follow<To extends string | undefined, Found>(
    to: To,
    find: FindEnd<To, Found>,
    context: Context,
    info: GraphQLResolveInfo,
  ): Found {
    if (to === undefined || info.operation.operation !== OperationTypeNode.QUERY) {
      return find(to, context, info);
    }
    this.#ends ??= new Map();
    let ofField = this.#ends.get(info.fieldNodes);
    if (!ofField) {
      ofField = new Map();
      this.#ends.set(info.fieldNodes, ofField);
    }
    // One field has one resolver, so that all it finds is of one type.
    const known = ofField.get(to) as Found | undefined;
    if (known !== undefined) return known;
    const found = find(to, context, info);
    ofField.set(to, found);
    return found;
  }
}

export const createLinks = (): Links => new RequestLinks();
