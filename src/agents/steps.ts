import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { isObject } from '../is-object.ts';
import { withFailedBackups } from './attention.ts';
import { extras } from './author.ts';
import { beforeOf, refusalOf } from './confirm.ts';
import { type Change, isPlanCall, type Planning, planOf } from './plan.ts';
import { faultOfPlanId } from './plan-id.ts';
import type { JsonObject, ToolCall } from './protocol.ts';
import { withFewerStacks } from './stacks.ts';
import { longest, toText } from './text.ts';
import type { Tool } from './tools.ts';
import type { UsedPlans } from './used-plans.ts';

/** Executes a document for the caller of the tool. */
type Run = (document: DocumentNode, variables: JsonObject) => Promise<ExecutionResult>;

export interface Runs extends Planning {
  /** Executes the operation. */
  readonly operation: Run;
  /** Executes a read that comes before the operation. Its age is not reported. */
  readonly lookup: Run;
  /** Like `lookup`, but never answered from memory. */
  readonly freshLookup: Run;
  readonly usedPlans: UsedPlans;
  /** Whether the write behind an error may have been carried out. */
  readonly mayBeCarriedOut: (error: GraphQLError) => boolean;
  /** The code that a client will see for an error of a read. */
  readonly codeOf: (error: GraphQLError) => string | undefined;
}

interface Refused {
  readonly result: ExecutionResult;
}

/** The variables of a tool's operation; or the result of the call, if the operation is not executed. */
type Prepared = { readonly variables: JsonObject } | Refused;

/** The most organizations that a refusal lists. */
const mostNamed = 10;

const organizations = parse('{ organizations { id name } }');

const failed = (errors: readonly GraphQLError[]): Refused => ({ result: { data: null, errors } });

const refused = (argument: string, message: string): Refused =>
  failed([new GraphQLError(message, { path: [argument], extensions: { code: 'BAD_USER_INPUT' } })]);

/** Adds the organization if a call names none: the only one that the credential can see. */
const withOrganization = async (run: Run, variables: JsonObject): Promise<Prepared> => {
  const { data, errors } = await run(organizations, {});
  if (errors) return failed(errors);
  const found: unknown = data?.organizations;
  const list = Array.isArray(found) ? found.filter(isObject) : [];
  const [only, ...others] = list;
  if (only && others.length === 0) {
    return { variables: { ...variables, organizationId: only.id } };
  }
  const named = toText(list.slice(0, mostNamed), longest.write);
  const seen = list.length > mostNamed ? `${list.length}, among them ${named}` : named;
  return refused('organizationId', `Give organizationId: this credential sees ${seen}.`);
};

/** The operation without the root fields that need the organization; undefined if no field is left. */
const withoutOrganization = (document: DocumentNode): DocumentNode | undefined => {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const { variableDefinitions = [], selectionSet } = operation;
  const isFree = (node: SelectionNode | VariableDefinitionNode): boolean =>
    !/\$organizationId\b/.test(print(node));
  const selections = selectionSet.selections.filter(isFree);
  if (selections.length === 0) return undefined;
  const left: OperationDefinitionNode = {
    ...operation,
    variableDefinitions: variableDefinitions.filter(isFree),
    selectionSet: { ...selectionSet, selections },
  };
  return { ...document, definitions: [left] };
};

interface TargetRead {
  /** The present state of the thing that a write changes; empty for a new one. */
  readonly thing: JsonObject;
  /** All that was read. */
  readonly read: JsonObject;
}

/** What a write changes, as it is now; or the result of the call, if it may not be changed. */
const readTarget = async (
  run: Run,
  { target, ...tool }: Tool & { readonly target: DocumentNode },
  variables: JsonObject,
  given: JsonObject,
): Promise<TargetRead | Refused> => {
  const { data, errors } = await run(target, variables);
  if (errors) return failed(errors);
  const { target: found, ...others } = data ?? {};
  const thing = isObject(found) ? found : {};
  const refusal =
    refusalOf(tool, tool.needsPlan ? { ...thing, ...given } : thing, given) ??
    extras[tool.name]?.refusalOf?.(thing, given);
  return refusal
    ? refused(refusal.argument, `${refusal.message} Nothing was sent.`)
    : { thing, read: { ...thing, ...others } };
};

/** The earlier values of what a call gives; undefined for a new thing. */
const replacedBy = ({ tool, variables, thing }: Change): JsonObject | undefined => {
  const isReplaced = (name: string): boolean => name in variables && !name.endsWith('Id');
  const isCopy = extras[tool.name]?.fill !== undefined;
  const replaced = Object.entries(thing).filter(([name]) => isReplaced(name) && !isCopy);
  return replaced.length > 0 ? Object.fromEntries(replaced) : undefined;
};

const carryOut = async ({ document, variables }: Change, before: unknown, runs: Runs) => {
  const result = await runs.operation(document, variables);
  return { ...result, extensions: { ...result.extensions, before } };
};

const isUsed =
  'This plan is used: it was carried out, or may have been, or just is. Nothing was sent. Read the thing again before you go on.';

/** Whether a mutation has the thing that it changed. A part of it may be missing, if a later read has failed. */
const hasThing = ({ data }: ExecutionResult): boolean =>
  Object.values(data ?? {}).some(
    (payload) =>
      isObject(payload) &&
      Object.entries(payload).some(([name, value]) => name !== 'userErrors' && value !== null),
  );

/** Carries a plan out, once. */
const carryOutPlan = async (change: Change, planId: string, runs: Runs) => {
  const { usedPlans, mayBeCarriedOut } = runs;
  const fault = faultOfPlanId(runs.sign, planId, change.basis, Date.now());
  if (fault !== undefined) return refused('planId', fault).result;
  if (!(await usedPlans.take(planId))) return refused('planId', isUsed).result;
  const result = await carryOut(change, replacedBy(change), runs);
  const mayHaveChanged = hasThing(result) || result.errors?.some(mayBeCarriedOut);
  if (!mayHaveChanged) await usedPlans.giveBack(planId);
  return result;
};

/** Plans a change, or carries it out. */
const planOrApply = async (change: Change, given: JsonObject, runs: Runs) => {
  const { tool, thing } = change;
  if (isPlanCall(tool, given)) return planOf(change, runs);
  return tool.needsPlan
    ? carryOutPlan(change, String(given.planId), runs)
    : carryOut(change, beforeOf(thing), runs);
};

/** Adds the organization to what a call gives if the tool needs one and the call names none. */
export const prepare = async (
  lookup: Run,
  { findsOrganization }: Pick<Tool, 'findsOrganization'>,
  given: JsonObject,
): Promise<Prepared> =>
  findsOrganization && (given.organizationId ?? undefined) === undefined
    ? withOrganization(lookup, given)
    : { variables: given };

/** What a call gives for the operation, with defaults and without the names that it confirms. */
const forOperation = ({ confirms, defaults }: Tool, given: JsonObject): JsonObject => {
  const confirming = new Set(confirms.map(({ argument }) => argument));
  const own = Object.entries(given).filter(
    ([name, value]) => !confirming.has(name) && (value !== null || !(name in defaults)),
  );
  const named: JsonObject = Object.fromEntries(own);
  // Another service may be in another organization, and another organization lacks the service.
  const isOther = Object.keys(defaults).some(
    (name) => name in named && named[name] !== defaults[name],
  );
  return isOther ? named : { ...defaults, ...named };
};

/** Executes a tool's operation, after the reads that must come before it. */
export const runTool = async (
  tool: Tool,
  { given: all }: ToolCall,
  { document }: Pick<ExecutionArgs, 'document'>,
  runs: Runs,
): Promise<ExecutionResult> => {
  const { operation, lookup, freshLookup, codeOf } = runs;
  const { target } = tool;
  const given = forOperation(tool, all);
  const found = await prepare(lookup, tool, given);
  if ('result' in found) {
    // A write is never carried out unconfirmed.
    const rest = target ? undefined : withoutOrganization(document);
    if (!rest) return found.result;
    const result = await operation(rest, given);
    const errors = [...(found.result.errors ?? []), ...(result.errors ?? [])];
    return { ...result, errors };
  }
  if (!target) {
    const result = await operation(document, found.variables);
    return withFailedBackups(withFewerStacks(result, codeOf));
  }
  const read = await readTarget(freshLookup, { ...tool, target }, found.variables, all);
  if ('result' in read) return read.result;
  const { thing } = read;
  const { planId: _, ...asked } = { ...all, ...found.variables };
  const basis = { tool: tool.name, given: asked, read: read.read };
  const variables = { ...found.variables, ...extras[tool.name]?.fill?.(thing) };
  return planOrApply({ tool, document, variables, thing, basis }, all, runs);
};
