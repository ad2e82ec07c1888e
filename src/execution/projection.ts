import {
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import type { FieldPlan } from './field-plan.ts';
import { serializerOf } from './leaf.ts';
import type { Run } from './run.ts';

/**
 * A selection's fields that are simply made of the parent, as JavaScript that a person would write by
 * hand: checks and one object literal.
 */
export interface Projection {
  /** The result, with null for each of the other fields; undefined where a value is not as expected. */
  project(source: object): Record<string, unknown> | undefined;
  /** The fields left to be executed. */
  readonly others: readonly FieldPlan[];
}

/** Fields of one projection, at all its levels: text of 2 KB can select a million. */
const maxFields = 1000;

/** What a value of the type may be. */
const objectTypesOf = (
  type: GraphQLObjectType | GraphQLAbstractType,
  { schema }: Run,
): readonly GraphQLObjectType[] => (isAbstractType(type) ? schema.getPossibleTypes(type) : [type]);

/** Whether the value, with all below it, is made of the parent alone and has no type that a resolver tells. */
const isPlain = (plan: FieldPlan, run: Run, budget: { left: number }): boolean => {
  budget.left -= 1;
  if (budget.left < 0 || plan.resolve !== undefined || plan.field.args.length > 0) return false;
  const { namedType } = plan;
  if (isLeafType(namedType)) return true;
  if (isAbstractType(namedType) && namedType.resolveType) return false;
  try {
    return objectTypesOf(namedType, run).every((type) =>
      plan.selectionOf(type, run).fields.every((field) => isPlain(field, run, budget)),
    );
  } catch {
    // A condition has no value, which is an error once there is an object to be asked for it.
    return false;
  }
};

/** JavaScript for a scalar of the specification that needs no change. */
const asItIs: Readonly<Record<string, (value: string) => string>> = {
  String: (value) => `typeof ${value} === 'string'`,
  ID: (value) => `typeof ${value} === 'string'`,
  Boolean: (value) => `typeof ${value} === 'boolean'`,
  Float: (value) => `typeof ${value} === 'number' && ${value} - ${value} === 0`,
  Int: (value) => `typeof ${value} === 'number' && (${value} | 0) === ${value}`,
};

/** `{ "__proto__": … }` would set the prototype. */
const keyOf = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);

/** Writes one projection. Each early `return` leaves the work to the executor. */
class Writer {
  readonly #run: Run;
  readonly #lines: string[] = [];
  readonly #constants: unknown[] = [];
  #names = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  compile(fields: readonly FieldPlan[], plain: ReadonlySet<FieldPlan>): Projection['project'] {
    const literal = this.#object(fields, plain, 's');
    const constants = this.#constants.map((_, index) => `c${index}`);
    const code = `"use strict";
const [${constants}] = constants;
return (s) => {
  try {
    ${this.#lines.join('\n')}
    return ${literal};
  } catch {
    return undefined;
  }
};`;
    // Names of GraphQL are words, and all but they is a constant handed in: no text of a request is code.
    return new Function('constants', code)(this.#constants) as Projection['project'];
  }

  #line(text: string): void {
    this.#lines.push(text);
  }

  #name(): string {
    this.#names += 1;
    return `v${this.#names}`;
  }

  #constant(value: unknown): string {
    this.#constants.push(value);
    return `c${this.#constants.length - 1}`;
  }

  #object(
    fields: readonly FieldPlan[],
    plain: ReadonlySet<FieldPlan> | undefined,
    source: string,
  ): string {
    const members = fields.map((plan) => {
      const value = !plain || plain.has(plan) ? this.#field(plan, source) : 'null';
      return `${keyOf(plan.key)}: ${value}`;
    });
    return `{ ${members.join(', ')} }`;
  }

  #field(plan: FieldPlan, source: string): string {
    const value = this.#name();
    const { resolveOfParent, member } = plan;
    this.#line(
      member === undefined
        ? `const ${value} = ${this.#constant(resolveOfParent)}(${source});`
        : `const ${value} = ${source}[${JSON.stringify(member)}];`,
    );
    return this.#value(plan, plan.field.type, value);
  }

  /** The name of the variable that holds the completed value. */
  #value(plan: FieldPlan, type: GraphQLOutputType, value: string): string {
    const result = this.#name();
    const nullable = !isNonNullType(type);
    this.#line(`let ${result} = null;`);
    this.#line(`if (${value} === null || ${value} === undefined) { ${nullable ? '' : 'return;'} }`);
    this.#line('else {');
    this.#present(plan, isNonNullType(type) ? type.ofType : type, value, result);
    this.#line('}');
    return result;
  }

  #present(plan: FieldPlan, type: GraphQLOutputType, value: string, result: string): void {
    if (isLeafType(type)) this.#leaf(type, value, result);
    else if (isListType(type)) {
      const [item, index] = [this.#name(), this.#name()];
      this.#line(`if (!Array.isArray(${value})) return;`);
      // A copy has just the room it needs; a list that grows has room for seventeen at once.
      this.#line(`${result} = ${value}.slice();`);
      this.#line(`for (let ${index} = 0; ${index} < ${result}.length; ${index} += 1) {`);
      this.#line(`const ${item} = ${result}[${index}];`);
      this.#line(`${result}[${index}] = ${this.#value(plan, type.ofType, item)};`);
      this.#line('}');
    } else {
      // No list, no error, which stands for a failure, and no promise.
      this.#line(`if (typeof ${value} !== 'object' || Array.isArray(${value})) return;`);
      this.#line(`if (${value} instanceof Error) return;`);
      this.#line(`if (typeof ${value}.then === 'function') return;`);
      if (isAbstractType(type)) this.#abstract(plan, type, value, result);
      else this.#members(plan, type, value, result);
    }
  }

  #members(plan: FieldPlan, type: GraphQLObjectType, value: string, result: string): void {
    const { fields } = plan.selectionOf(type, this.#run);
    this.#line(`${result} = ${this.#object(fields, undefined, value)};`);
  }

  #abstract(plan: FieldPlan, type: GraphQLAbstractType, value: string, result: string): void {
    this.#line(`switch (${value}.__typename) {`);
    for (const possible of objectTypesOf(type, this.#run)) {
      this.#line(`case ${JSON.stringify(possible.name)}: {`);
      this.#members(plan, possible, value, result);
      this.#line('break; }');
    }
    this.#line('default: return; }');
  }

  #leaf(type: GraphQLLeafType, value: string, result: string): void {
    const fits = isSpecifiedScalarType(type) ? asItIs[type.name] : undefined;
    if (fits) {
      this.#line(`if (!(${fits(value)})) return;`);
      this.#line(`${result} = ${value};`);
      return;
    }
    this.#line(`if (typeof ${value} === 'object' || typeof ${value} === 'function') return;`);
    this.#line(`${result} = ${this.#constant(serializerOf(type))}(${value});`);
  }
}

/** Makes a selection's projection; undefined where it has nothing plain, or Node makes no code of text. */
export const createProjection = (
  fields: readonly FieldPlan[],
  run: Run,
): Projection | undefined => {
  const budget = { left: maxFields };
  const plain = new Set(fields.filter((plan) => isPlain(plan, run, budget)));
  if (plain.size === 0) return undefined;
  try {
    const project = new Writer(run).compile(fields, plain);
    return { project, others: fields.filter((plan) => !plain.has(plan)) };
  } catch (error) {
    // Node was started with --disallow-code-generation-from-strings.
    if (error instanceof EvalError) return undefined;
    throw error;
  }
};
