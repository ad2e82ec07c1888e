/** How a scalar or enum is made of a value that is there. */
export interface Leaf {
  /** The kind of JSON that stays as it is, if it is written as JSON.stringify would write it. */
  readonly asItIs: 'string' | 'boolean' | 'int' | 'float' | undefined;
  /** What any value becomes that is no object. Throws for one that it does not take. */
  readonly serialize: (value: unknown) => unknown;
}

/** What becomes of a value. */
export type Shape = { readonly nullable: boolean } & (
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'object'; readonly plan: ObjectPlan }
  /**
   * An object of which one member is the value: of those that have a slot, the first that is an
   * object.
   */
  | { readonly kind: 'variants'; readonly plan: ObjectPlan }
  | { readonly kind: 'list'; readonly item: Shape }
);

/** A member that is read. */
export interface Slot {
  readonly member: string;
  /**
   * Of an object, or a list of such; of other values the place is enough until they are written.
   */
  readonly shape: Shape | undefined;
}

/** What is written for a field. */
export type FieldText = { readonly key: string } & (
  | { readonly kind: 'constant'; readonly value: string }
  | { readonly kind: 'member'; readonly slot: number; readonly shape: Shape }
  /** Made by a function of members that have slots. */
  | {
      readonly kind: 'made';
      readonly members: readonly string[];
      readonly make: (parent: object) => unknown;
      readonly leaf: Leaf;
      readonly nullable: boolean;
    }
  /** Nothing yet: it is executed. */
  | { readonly kind: 'gap' }
);

/** Objects of one selection: the members that are read, and what is written of them. */
export interface ObjectPlan {
  readonly slots: readonly Slot[];
  readonly fields: readonly FieldText[];
}

/** The rows of a list. */
export interface RowPlan extends ObjectPlan {
  /** The members of each row that the fields look at for which there are gaps. */
  readonly gapMembers: readonly string[];
}
