import {
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import type { Transcribed } from '../transcription/machine.ts';
import type { FieldText, Leaf, ObjectPlan, RowPlan, Shape, Slot } from '../transcription/plan.ts';
import { createTranscribe } from '../transcription/transcribe.ts';
import type { PlacedMembers, WrittenList } from '../written-list.ts';
import type { FieldPlan } from './field-plan.ts';
import { serializerOf } from './leaf.ts';
import type { Run } from './run.ts';

/**
 * Writes the rows of a list that is selected from as they stand in their JSON, without making
 * objects of them.
 */
export interface Transcriber {
  /** The list as text; undefined where its rows are not as expected. */
  transcribe(list: WrittenList, placed: PlacedMembers): Transcribed | undefined;
  /** The fields left to be executed, which may be null; each row's text has a gap for each. */
  readonly others: readonly FieldPlan[];
}

/** Thrown where a selection cannot be transcribed at all. */
class NotTranscribable extends Error {}

const kinds: Readonly<Record<string, Leaf['asItIs']>> = {
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
  Float: 'float',
  Int: 'int',
};

const leafOf = (type: GraphQLLeafType): Leaf => ({
  asItIs: isSpecifiedScalarType(type) ? kinds[type.name] : undefined,
  serialize: serializerOf(type),
});

/** Fields of one transcription, at all its levels: text of 2 KB can select a million. */
const maxFields = 1000;

/** The slots of one plan in the making. */
class Slots {
  readonly #shapes = new Map<string, Shape | undefined>();

  /**
   * The slot of a member. An object is read once, for one selection, and then has no value to make
   * others of.
   */
  of(member: string, shape: Shape | undefined): number {
    // What an object inherits is no member that JSON lacks.
    if (member in Object.prototype) throw new NotTranscribable();
    if (this.#shapes.has(member) && (shape || this.#shapes.get(member))) {
      throw new NotTranscribable();
    }
    this.#shapes.set(member, shape);
    return [...this.#shapes.keys()].indexOf(member);
  }

  get list(): readonly Slot[] {
    return [...this.#shapes].map(([member, shape]) => ({ member, shape }));
  }
}

class Compiler {
  readonly #run: Run;
  readonly #placed: readonly string[];
  /** The fields for which there are gaps. */
  readonly others: FieldPlan[] = [];
  #fields = 0;

  /** @param placed the members of rows that the gateway puts there */
  constructor(run: Run, placed: readonly string[]) {
    this.#run = run;
    this.#placed = placed;
  }

  row(fields: readonly FieldPlan[]): RowPlan {
    const slots = new Slots();
    slots.of('id', undefined);
    const texts = fields.map((field) => this.#rowField(field, slots));
    const gapMembers = [...new Set(this.others.flatMap(({ members = [] }) => members))];
    return { slots: slots.list, fields: texts, gapMembers };
  }

  #objects(field: FieldPlan, type: GraphQLObjectType): ObjectPlan {
    const slots = new Slots();
    const fields = this.#selected(field, type);
    const texts = fields.map((each) => this.#field(each, slots));
    return { slots: slots.list, fields: texts };
  }

  #selected(field: FieldPlan, type: GraphQLObjectType): readonly FieldPlan[] {
    try {
      return field.selectionOf(type, this.#run).fields;
    } catch {
      // A condition has no value, which is an error once there is an object to be asked for it.
      throw new NotTranscribable();
    }
  }

  #rowField(field: FieldPlan, slots: Slots): FieldText {
    const { key, members, member, nullable } = field;
    if (field.resolve) {
      if (!members || !nullable) throw new NotTranscribable();
      for (const each of members) slots.of(each, undefined);
      this.others.push(field);
      return { key, kind: 'gap' };
    }
    // What the row itself has there does not count.
    if (member === undefined || !this.#placed.includes(member)) return this.#field(field, slots);
    const read = (parent: object): unknown => (parent as Readonly<Record<string, unknown>>)[member];
    return this.#made(field, [member], read, slots);
  }

  #field(field: FieldPlan, slots: Slots): FieldText {
    this.#fields += 1;
    if (this.#fields > maxFields) throw new NotTranscribable();
    const { key, constant, member, members, variants, resolveOfParent } = field;
    if (constant !== undefined) return { key, kind: 'constant', value: constant };
    if (field.resolve || field.field.args.length > 0) throw new NotTranscribable();
    if (variants) {
      const shape = this.#variants(field, variants.types);
      return { key, kind: 'member', slot: slots.of(variants.member, shape), shape };
    }
    if (member !== undefined) {
      const shape = this.#shape(field, field.field.type);
      const slot = slots.of(member, isOfObjects(shape) ? shape : undefined);
      return { key, kind: 'member', slot, shape };
    }
    if (!members || !resolveOfParent) throw new NotTranscribable();
    return this.#made(field, members, resolveOfParent, slots);
  }

  #made(
    { key, field: { type }, nullable }: FieldPlan,
    members: readonly string[],
    make: (parent: object) => unknown,
    slots: Slots,
  ): FieldText {
    const named = getNullableType(type);
    if (!isLeafType(named)) throw new NotTranscribable();
    for (const each of members) slots.of(each, undefined);
    return { key, kind: 'made', members, make, leaf: leafOf(named), nullable };
  }

  #shape(field: FieldPlan, type: GraphQLOutputType): Shape {
    const nullable = !isNonNullType(type);
    const named = getNullableType(type);
    if (isLeafType(named)) return { kind: 'leaf', nullable, leaf: leafOf(named) };
    if (isListType(named)) {
      return { kind: 'list', nullable, item: this.#shape(field, named.ofType) };
    }
    if (!isObjectType(named)) throw new NotTranscribable();
    return { kind: 'object', nullable, plan: this.#objects(field, named) };
  }

  #variants(field: FieldPlan, types: Readonly<Record<string, string>>): Shape {
    const { type } = field.field;
    const named = getNullableType(type);
    if (!isAbstractType(named) || named.resolveType) throw new NotTranscribable();
    const slots = Object.entries(types).map(([member, name]): Slot => {
      const variant = this.#run.schema.getType(name);
      if (!isObjectType(variant)) throw new NotTranscribable();
      const plan = this.#objects(field, variant);
      return { member, shape: { kind: 'object', nullable: true, plan } };
    });
    return { kind: 'variants', nullable: !isNonNullType(type), plan: { slots, fields: [] } };
  }
}

/** Whether it is an object, or a list of such at any depth. */
const isOfObjects = (shape: Shape): boolean =>
  shape.kind === 'list' ? isOfObjects(shape.item) : shape.kind !== 'leaf';

/**
 * Makes a selection's transcriber; undefined where it asks for what JSON alone does not tell.
 *
 * @param placed the members of rows that the gateway puts there
 */
export const createTranscriber = (
  fields: readonly FieldPlan[],
  run: Run,
  placed: readonly string[],
): Transcriber | undefined => {
  const compiler = new Compiler(run, placed);
  try {
    const transcribe = createTranscribe(compiler.row(fields));
    if (!transcribe) return undefined;
    return {
      // Another operation may give the same type with other members.
      transcribe: (list, { names, values }) =>
        names === placed
          ? list.readWritten((json, start) => transcribe(json, start, values))
          : undefined,
      others: compiler.others,
    };
  } catch (error) {
    if (error instanceof NotTranscribable) return undefined;
    throw error;
  }
};
