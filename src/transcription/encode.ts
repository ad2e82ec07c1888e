import { planEnd, planStart } from './memory.ts';
import type { FieldText, Leaf, ObjectPlan, RowPlan, Shape } from './plan.ts';

/** Members with their slots. */
export type Members = readonly (readonly [name: string, slot: number])[];

/** What is made outside, of some members. */
export interface Made {
  readonly members: Members;
  readonly make: (parent: object) => unknown;
  readonly leaf: Leaf;
  readonly nullable: boolean;
}

/** Names of members that are remembered of each plan's objects: one may be a dictionary. */
const maxNames = 64;
/**
 * How long they may be with their quotes; the shortest have four bytes with the colon, which are
 * compared at once.
 */
const minName = 3;
const maxName = 64;
/** Bytes that are kept free for other spellings of names that are read. */
const nameRoom = 4096;

/** A plan that takes more room than there is. */
export class TooLarge extends Error {}

const leafKinds = { string: 1, boolean: 2, int: 3, float: 4 } as const;
const fieldKinds = { constant: 0, member: 1, made: 2, gap: 3 } as const;
const fieldSize = 24;

/** The names of the members of one plan's objects, as they are written, with where they lie. */
interface Names {
  readonly slots: ReadonlyMap<string, number>;
  readonly places: Map<string, number>;
}

/**
 * A plan as numbers, for `assembly/plan.ts`: places are those where it lies once it is copied to
 * `planStart`.
 */
export class EncodedPlan {
  readonly leaves: Leaf[] = [];
  readonly made: Made[] = [];
  /** Where the rows' plan starts. */
  readonly root: number;
  readonly idSlot: number;
  /** What the fields look at for which there are gaps. */
  readonly gapMembers: Members;
  /** Grows as it is written. */
  #bytes = Buffer.alloc(1024);
  // No place is 0.
  #length = 4;
  readonly #names = new Map<number, Names>();

  /** Throws `TooLarge`. */
  constructor(plan: RowPlan) {
    this.root = this.#plan(plan);
    const slotOf = (name: string): number => plan.slots.findIndex(({ member }) => member === name);
    this.idSlot = slotOf('id');
    this.gapMembers = plan.gapMembers.map((name) => [name, slotOf(name)] as const);
  }

  /** What is to be copied; it changes as names are learned. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * Where a name lies that was found in JSON, with its quotes; 0 for one that is not worth
   * remembering. A new one is put into the memory as well.
   */
  nameAt(plan: number, written: string, memory: Buffer): number {
    const names = this.#names.get(plan);
    if (!names) throw new TypeError('No plan starts there');
    const known = names.places.get(written);
    if (known !== undefined) return known;
    const slot = names.slots.get(JSON.parse(written));
    const start = this.#length;
    // A member that is read has to be found under any spelling of its name.
    if (slot === undefined && !this.#isWorthRemembering(names, written)) return 0;
    const place = this.#name(written, slot);
    names.places.set(written, place);
    this.#bytes.copy(memory, planStart + start, start, this.#length);
    return place;
  }

  /** Takes over what was learned of the order of members. */
  learn(memory: Buffer): void {
    memory.copy(this.#bytes, 0, planStart, planStart + this.#length);
  }

  #isWorthRemembering({ places }: Names, written: string): boolean {
    const { length } = written;
    // What is not read must not take the room of what is.
    const hasRoom = this.#length + nameRoom < planEnd - planStart;
    return places.size < maxNames && length >= minName && length <= maxName && hasRoom;
  }

  #reserve(size: number): number {
    const start = this.#length;
    const end = start + ((size + 3) & ~3);
    if (end > planEnd - planStart) throw new TooLarge();
    if (end > this.#bytes.length) {
      const bytes = Buffer.alloc(Math.min(2 * end, planEnd - planStart));
      this.#bytes.copy(bytes);
      this.#bytes = bytes;
    }
    this.#length = end;
    return planStart + start;
  }

  #set(place: number, ...numbers: readonly number[]): void {
    for (const [index, number] of numbers.entries()) {
      this.#bytes.writeInt32LE(number, place - planStart + 4 * index);
    }
  }

  /** Room behind, since whole words are copied. */
  #text(text: string): readonly [place: number, length: number] {
    const length = Buffer.byteLength(text);
    const place = this.#reserve(length + 16);
    this.#bytes.write(text, place - planStart);
    return [place, length];
  }

  #name(written: string, slot: number | undefined): number {
    const text = `${written}:`;
    const length = Buffer.byteLength(text);
    const place = this.#reserve(12 + length);
    this.#set(place, length, slot ?? -1, 0);
    this.#bytes.write(text, place - planStart + 12);
    return place;
  }

  #plan({ slots, fields }: ObjectPlan): number {
    const place = this.#reserve(16 + 4 * slots.length);
    const first = this.#reserve(fieldSize * fields.length);
    this.#set(place, slots.length, fields.length, 0, first);
    const known = new Map(slots.map(({ member }, slot) => [member, slot]));
    this.#names.set(place, { slots: known, places: new Map() });
    for (const [slot, { shape }] of slots.entries()) {
      if (shape) this.#set(place + 16 + 4 * slot, this.#shape(shape));
    }
    for (const [index, field] of fields.entries()) {
      this.#set(first + fieldSize * index, ...this.#field(field, place, slots, known));
    }
    return place;
  }

  #shape(shape: Shape): number {
    const place = this.#reserve(16);
    const nullable = shape.nullable ? 1 : 0;
    if (shape.kind === 'leaf') {
      const { asItIs } = shape.leaf;
      this.#set(place, 0, nullable, asItIs ? leafKinds[asItIs] : 0, this.leaves.length);
      this.leaves.push(shape.leaf);
    } else if (shape.kind === 'list') this.#set(place, 3, nullable, this.#shape(shape.item), 0);
    else this.#set(place, shape.kind === 'object' ? 1 : 2, nullable, this.#plan(shape.plan), 0);
    return place;
  }

  #field(
    field: FieldText,
    plan: number,
    slots: ObjectPlan['slots'],
    known: ReadonlyMap<string, number>,
  ): readonly number[] {
    const start = [...this.#text(`,${JSON.stringify(field.key)}:`), fieldKinds[field.kind]];
    if (field.kind === 'constant') return [...start, ...this.#text(JSON.stringify(field.value))];
    if (field.kind === 'member') {
      // What is read of a member is written once.
      const shape = slots[field.slot]?.shape
        ? this.#bytes.readInt32LE(plan - planStart + 16 + 4 * field.slot)
        : this.#shape(field.shape);
      return [...start, shape, field.slot];
    }
    if (field.kind === 'gap') return [...start, 0, 0];
    const { make, leaf, nullable } = field;
    const members = field.members.map((name) => {
      const slot = known.get(name);
      if (slot === undefined) throw new TypeError(`No slot for ${name}`);
      return [name, slot] as const;
    });
    this.made.push({ members, make, leaf, nullable });
    return [...start, 0, this.made.length - 1];
  }
}
