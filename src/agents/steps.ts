import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  parse,
} from 'graphql';
import { isObject } from '../is-object.ts';
import type { ToolCall } from './protocol.ts';
import type { Tool } from './tools.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Executes a document for the caller of the tool. */
type Run = (document: DocumentNode, variables: Variables) => Promise<ExecutionResult>;

/** The variables of a tool's operation, or the result of its call where the operation is not executed. */
type Prepared = { readonly variables: Variables } | { readonly result: ExecutionResult };

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
  const seen = list.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = `Give organizationId: this credential sees ${seen || 'no organization'}.`;
  return refused('organizationId', message);
};

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
  if (isObject(thing) && confirmName === (thing.name || thing.id)) return { variables };
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
  run: Run,
): Promise<ExecutionResult> => {
  const lacksOrganization = findsOrganization && (given.organizationId ?? undefined) === undefined;
  const found = lacksOrganization ? await withOrganization(run, given) : { variables: given };
  if ('result' in found) return found.result;
  const confirmed = target ? await confirm(run, target, found.variables, confirmName) : found;
  return 'result' in confirmed ? confirmed.result : run(document, confirmed.variables);
};
