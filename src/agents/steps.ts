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
import type { ToolCall } from './protocol.ts';
import type { Tool } from './tools.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Executes a document for the caller of the tool. */
type Run = (document: DocumentNode, variables: Variables) => Promise<ExecutionResult>;

export interface Runs {
  /** Executes the operation. */
  readonly operation: Run;
  /** Executes a read that comes before it, whose age is not told. */
  readonly lookup: Run;
  /** The same, with nothing from memory. */
  readonly freshLookup: Run;
}

/** The variables of a tool's operation, or the result of its call where the operation is not executed. */
type Prepared = { readonly variables: Variables } | { readonly result: ExecutionResult };

/** How many organizations a refusal names. */
const mostNamed = 10;

const organizations = parse('{ organizations { id name } }');

const failed = (errors: readonly GraphQLError[]): Prepared => ({ result: { data: null, errors } });

const refused = (argument: string, message: string): Prepared =>
  failed([new GraphQLError(message, { path: [argument], extensions: { code: 'BAD_USER_INPUT' } })]);

/** Adds the organization where a call names none: the only one that the credential sees. */
const withOrganization = async (run: Run, variables: Variables): Promise<Prepared> => {
  const { data, errors } = await run(organizations, {});
  if (errors) return failed(errors);
  const found: unknown = data?.organizations;
  const list = Array.isArray(found) ? found.filter(isObject) : [];
  const [only, ...others] = list;
  if (only && others.length === 0) {
    return { variables: { ...variables, organizationId: only.id } };
  }
  const named = JSON.stringify(list.slice(0, mostNamed));
  const seen = list.length > mostNamed ? `${list.length}, among them ${named}` : named;
  return refused('organizationId', `Give organizationId: this credential sees ${seen}.`);
};

/** The operation without the root fields that need the organization; undefined if no other is left. */
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

/** Clients write one letter in several ways: `é` is one character, or `e` and an accent. */
const isSame = (confirmed: string, present: unknown): boolean =>
  typeof present === 'string' && confirmed.normalize() === present.normalize();

/** Compares the name that a caller has confirmed with the present one, which is not told: it would be repeated unseen. */
const confirm = async (
  run: Run,
  target: DocumentNode,
  variables: Variables,
  confirmName: unknown,
): Promise<Prepared> => {
  const { data, errors } = await run(target, variables);
  if (errors) return failed(errors);
  const thing: unknown = data?.target;
  const isRight =
    isObject(thing) &&
    typeof confirmName === 'string' &&
    isSame(confirmName, thing.name || thing.id);
  if (isRight) return { variables };
  return refused(
    'confirmName',
    'confirmName is not the present name of the thing with this identifier. Nothing was sent. Read it again, and ask the user which one is meant.',
  );
};

/** The operation of a tool, after the reads that have to come before it. */
export const runTool = async (
  { findsOrganization, target }: Tool,
  { given: { confirmName, ...given } }: ToolCall,
  { document }: Pick<ExecutionArgs, 'document'>,
  { operation, lookup, freshLookup }: Runs,
): Promise<ExecutionResult> => {
  const lacksOrganization = findsOrganization && (given.organizationId ?? undefined) === undefined;
  const found = lacksOrganization ? await withOrganization(lookup, given) : { variables: given };
  if ('result' in found) {
    // A write is never carried out unconfirmed.
    const rest = target ? undefined : withoutOrganization(document);
    if (!rest) return found.result;
    const result = await operation(rest, given);
    const errors = [...(found.result.errors ?? []), ...(result.errors ?? [])];
    return { ...result, errors };
  }
  const confirmed = target
    ? await confirm(freshLookup, target, found.variables, confirmName)
    : found;
  return 'result' in confirmed ? confirmed.result : operation(document, confirmed.variables);
};
