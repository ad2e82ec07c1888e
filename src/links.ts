import { type GraphQLResolveInfo, OperationTypeNode } from 'graphql';

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
  follow<Found>(info: GraphQLResolveInfo, to: string | undefined, find: () => Found): Found;
}

class RequestLinks implements Links {
  /** By the array of nodes, which is the same for all values of a field in one execution. */
  #ends: Map<GraphQLResolveInfo['fieldNodes'], Map<string, unknown>> | undefined;

  follow<Found>(info: GraphQLResolveInfo, to: string | undefined, find: () => Found): Found {
    if (to === undefined || info.operation.operation !== OperationTypeNode.QUERY) return find();
    this.#ends ??= new Map();
    let ofField = this.#ends.get(info.fieldNodes);
    if (!ofField) {
      ofField = new Map();
      this.#ends.set(info.fieldNodes, ofField);
    }
    // One field has one resolver, so that all it finds is of one type.
    const known = ofField.get(to) as Found | undefined;
    if (known !== undefined) return known;
    const found = find();
    ofField.set(to, found);
    return found;
  }
}

export const createLinks = (): Links => new RequestLinks();
