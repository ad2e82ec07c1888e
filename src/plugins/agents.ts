import type { IncomingMessage } from 'node:http';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { type FetchAPI, isAsyncIterable } from 'graphql-yoga';
import { faultOf, toToolResult } from '../agents/answers.ts';
import { isPlanCall } from '../agents/plan.ts';
import {
  type Answer,
  errorAnswer,
  type JsonObject,
  judge,
  progressMessage,
  resultAnswer,
  type ToolCall,
} from '../agents/protocol.ts';
import { prepare, type Runs, runTool } from '../agents/steps.ts';
import type { QueryTool, Tool, Tools } from '../agents/tools.ts';
import { createUsedPlans, type SharedNotes } from '../agents/used-plans.ts';
import { waitFor } from '../agents/wait.ts';
import type { Config } from '../config.ts';
import { describe } from '../errors/describe.ts';
import { toUnread } from '../errors/errors.ts';
import { acceptedBy, contentOf } from '../negotiation.ts';
import { type Context, isContext, planning } from '../request/context.ts';
import { createSigner, deploymentSecretOf } from '../upstream/credential-identity.ts';
import { mayBeCarriedOut, UpstreamError } from '../upstream/error.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import { createAges } from '../upstream/request-facts.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** A tool that a request has called. */
interface Called {
  readonly tool: Tool | QueryTool;
  readonly call: ToolCall;
}

/** Serves tools to agents. Their operations pass the same steps as all others, from the credentials to the log. */
export interface Agents {
  /** Refuses requests that an agent would not send. */
  usePath(): GatewayPlugin;
  /** Answers messages that need no operation, and names the operation of a tool. Must come before `useBody`. */
  useCalls(): GatewayPlugin;
  /** Reads what must be known before an operation. Must come after `useExecution`, and before `useContext`. */
  useSteps(): GatewayPlugin;
  /** Reads what must be known before a stream of events. Must come before `useLive`. */
  useWaits(): GatewayPlugin;
  /** Turns the result of an operation into the result of its tool. Must come after all plugins that change results. */
  useResults(): GatewayPlugin;
  /** Whether the request has called a tool, whose operation is not looked for among the persisted ones. */
  isCall(req: IncomingMessage): boolean;
  /** Whether the request came to the path of agents. */
  isOfAgent(req: IncomingMessage): boolean;
}

interface AgentOptions {
  readonly path: string;
  readonly tools: Tools;
  readonly callers: Callers;
  readonly contextOf: (caller: UpstreamCaller) => Context;
  readonly execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
  /** Whether the management credential counts for both upstreams. */
  readonly hasOneKey: boolean;
  /** Undefined for a gateway without replicas. */
  readonly notes: SharedNotes | undefined;
  readonly config: Pick<Config, 'cacheSecret' | 'corsOrigins' | 'mcpMaxCharacters'>;
}

const protocols: readonly (string | undefined)[] = ['http:', 'https:'];

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i;

/**
 * Why a page may not send the request; undefined if it may. If a name of another site leads to this machine (DNS
 * rebinding), `Host` shows that name. The address of the connection tells where the request has arrived, whichever
 * server listens there.
 */
const refusalOf = (
  { headers: { origin }, headersDistinct, socket: { localAddress = '' } }: IncomingMessage,
  { corsOrigins }: AgentOptions['config'],
): string | undefined => {
  // The original value: `makeFit` has replaced `headers.host` for Yoga.
  const { host: [sent = ''] = [] } = headersDistinct;
  const called = URL.parse(`http://${sent.replace(/\.(?=$|:)/, '')}`);
  const { host, hostname: name } = called ?? { host: sent, hostname: '' };
  const hosts = corsOrigins.map((each) => new URL(each).host);
  const isLocal = loopback.test(localAddress.replace('::ffff:', ''));
  if (isLocal && !loopback.test(name) && !hosts.includes(host)) {
    return 'At a loopback address the Host must be localhost, or the host of an origin in the setting CORS_ORIGINS.';
  }
  const page = origin === undefined ? undefined : URL.parse(origin);
  const isOwn = page?.host === host && protocols.includes(page.protocol);
  return origin === undefined || isOwn || corsOrigins.includes(origin)
    ? undefined
    : 'Pages of this origin are refused: the setting CORS_ORIGINS does not list it.';
};

/** An agent must accept one of these media types. Clients name both, and accept JSON where a stream is possible. */
const accepted: readonly string[] = ['application/json', 'text/event-stream'];

/** Why the headers of a message are refused; undefined if they are valid. */
const unfitIn = (headers: Headers): Answer | undefined => {
  const { mediaType, isUtf8, isPlain } = contentOf(headers);
  if (mediaType !== 'application/json' || !isUtf8 || !isPlain) {
    const message =
      'Send the message as JSON in UTF-8, uncompressed, with the header "content-type: application/json".';
    return errorAnswer(415, 'refused', message);
  }
  if (acceptedBy(headers.get('accept')).mediaTypes.some((type) => accepted.includes(type))) {
    return undefined;
  }
  return errorAnswer(406, 'refused', 'Answers are application/json: accept it.');
};

/** A response with messages as they come. It ends with the last one. */
const streamOf = (
  { Response, ReadableStream, TextEncoder }: FetchAPI,
  answer: (send: (message: unknown) => void) => Promise<unknown>,
): Response => {
  const encoder = new TextEncoder();
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    cancel: () => {
      isLeft = true;
    },
    start: async (controller) => {
      const send = (message: unknown): void => {
        if (isLeft) return;
        controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      };
      send(await answer(send));
      if (!isLeft) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const unexpected = 'The request could not be answered.';

export const createAgents = ({
  path,
  tools,
  callers,
  contextOf,
  execute,
  hasOneKey,
  notes,
  config,
}: AgentOptions): Agents => {
  const asking = new WeakSet<IncomingMessage>();
  /** The requests that may be answered with a stream of messages. */
  const streaming = new WeakSet<IncomingMessage>();
  const calls = new WeakMap<IncomingMessage, Called>();
  const usedPlans = createUsedPlans(notes);
  const send = (
    { Response }: { readonly Response: typeof globalThis.Response },
    { status, body }: Answer,
    headers?: Readonly<Record<string, string>>,
  ): Response =>
    body === undefined
      ? new Response(null, { status })
      : Response.json(body, { status, ...(headers && { headers }) });

  return {
    isCall: (req) => calls.has(req),
    isOfAgent: (req) => asking.has(req),
    usePath: () => ({
      onRequest: ({ request, url, serverContext: { req }, endResponse, fetchAPI }) => {
        if (![path, `${path}/`].includes(url.pathname)) return;
        asking.add(req);
        const refusal = refusalOf(req, config);
        if (refusal !== undefined) {
          endResponse(send(fetchAPI, errorAnswer(403, 'refused', refusal)));
        } else if (req.method !== 'POST') {
          const answer = errorAnswer(405, 'refused', 'Messages are sent by POST.');
          endResponse(send(fetchAPI, answer, { allow: 'POST' }));
        } else {
          const unfit = unfitIn(request.headers);
          if (unfit) endResponse(send(fetchAPI, unfit));
          if (acceptedBy(request.headers.get('accept')).events) streaming.add(req);
          // From now on the request counts as an operation, which has other media types.
          request.headers.set('accept', 'application/json');
        }
      },
    }),
    useCalls: () => ({
      onRequestParse: ({ serverContext: { req }, requestParser, setRequestParser, fetchAPI }) => {
        if (!asking.has(req) || !requestParser) return;
        setRequestParser(async (request) => {
          let message: unknown;
          try {
            message = await request.json();
          } catch {
            return send(fetchAPI, errorAnswer(400, 'parseError', 'The body must be JSON.'));
          }
          const judged = judge(message, (name) => request.headers.get(name), tools);
          if ('status' in judged) return send(fetchAPI, judged);
          const named = tools.get(judged.name);
          if (!named) throw new TypeError(`No tool ${judged.name}`);
          const { given } = judged;
          const variant = named.kind === 'operation' ? named.variantOf?.(given) : undefined;
          const fault = faultOf(named, given) ?? (variant && faultOf(variant, given));
          if (fault) return send(fetchAPI, resultAnswer(judged, fault));
          const tool = variant ?? named;
          if (tool.kind === 'local') {
            return send(fetchAPI, resultAnswer(judged, tool.answer(given)));
          }
          calls.set(req, { tool, call: judged });
          if (tool.kind === 'query') return given;
          const incoming = callers.get(req);
          if (incoming) incoming.isDryRun = isPlanCall(tool, given);
          // The checks of variables look at the given arguments; the steps set the operation's own variables later.
          return { query: tool.text, operationName: tool.operationName, variables: given };
        });
      },
    }),
    useSteps: () => ({
      onValidate: ({ params: { documentAST }, context, setResult }) => {
        const called = calls.get(context.req);
        const refusal =
          called?.tool.kind === 'query' && called.tool.refusalOf(documentAST, called.call.given);
        if (refusal) setResult([refusal]);
      },
      onExecute: ({ args: { contextValue }, executeFn, setExecuteFn }) => {
        const called = calls.get(contextValue.req);
        const incoming = callers.get(contextValue.req);
        if (!called || !incoming) return;
        const { tool, call } = called;
        if (tool.kind === 'query') {
          setExecuteFn(async (args: ExecutionArgs) => {
            const result: ExecutionResult = await executeFn(args);
            const failures = isContext(args.contextValue) ? args.contextValue.unread : [];
            const unread = failures.flatMap((error) => toUnread(error) ?? []);
            return { ...result, extensions: { ...result.extensions, unread } };
          });
          return;
        }
        setExecuteFn((args: ExecutionArgs) => {
          const runAs =
            (facts: Partial<UpstreamCaller> | undefined): Runs['operation'] =>
            async (document, variableValues) => {
              const own = facts && { contextValue: contextOf({ ...incoming.caller, ...facts }) };
              return executeFn({
                ...args,
                ...own,
                document,
                variableValues,
                operationName: undefined,
              });
            };
          const { credentials } = incoming.caller;
          return runTool(tool, call, args, {
            operation: runAs(undefined),
            planned: async (document, variableValues) => {
              const contextValue = planning(contextOf(incoming.caller));
              const asked = { ...args, contextValue, document, variableValues };
              const result = await executeFn({ ...asked, operationName: undefined });
              return { result, plan: contextValue.plan };
            },
            sign: createSigner(
              [credentials.management, credentials.observability],
              'plan',
              deploymentSecretOf(config.cacheSecret),
            ),
            usedPlans,
            lookup: runAs({ ages: createAges() }),
            freshLookup: runAs({ readAfter: performance.now() }),
            mayBeCarriedOut: ({ originalError }) =>
              !(originalError instanceof UpstreamError) || mayBeCarriedOut(originalError.failure),
            codeOf: ({ originalError }) =>
              originalError instanceof UpstreamError
                ? describe(originalError.failure).code
                : undefined,
          });
        });
      },
    }),
    useWaits: () => ({
      onSubscribe: async ({ args, setResultAndStopExecution }) => {
        const { req } = args.contextValue;
        const called = calls.get(req);
        const incoming = callers.get(req);
        if (!called || called.tool.kind === 'query' || !incoming) return;
        const { schema } = args;
        const contextValue = contextOf({ ...incoming.caller, ages: createAges() });
        const lookup: Runs['lookup'] = async (document, variableValues) =>
          execute({ schema, document, variableValues, contextValue });
        const prepared = await prepare(lookup, called.tool, called.call.given);
        if ('result' in prepared) setResultAndStopExecution(prepared.result);
        else Object.assign(args, { variableValues: prepared.variables });
      },
    }),
    useResults: () => ({
      onResultProcess: ({ serverContext: { req }, setResultProcessor }) => {
        if (!asking.has(req)) return;
        setResultProcessor((result, fetchAPI) => {
          const called = calls.get(req);
          const incoming = callers.get(req);
          if (Array.isArray(result)) throw new TypeError('A tool has one result');
          if (!called || !incoming) {
            const [error] = (!isAsyncIterable(result) && result.errors) || [];
            const status = error?.extensions.http?.status ?? 400;
            return send(fetchAPI, errorAnswer(status, 'refused', error?.message ?? unexpected));
          }
          const { tool, call } = called;
          const answerTo = (executed: ExecutionResult): Answer => {
            const ageSeconds = incoming.caller.ages.oldestSeconds;
            const facts = { maxCharacters: config.mcpMaxCharacters, hasOneKey, ageSeconds };
            return resultAnswer(call, toToolResult(tool, executed, facts));
          };
          if (!isAsyncIterable(result)) return send(fetchAPI, answerTo(result));
          const wait = async (onProgress?: (progress: JsonObject) => void): Promise<Answer> => {
            const { given } = call;
            return answerTo(await waitFor(result, { given, began: incoming.began, onProgress }));
          };
          const { progressToken } = call;
          if (progressToken === undefined || !streaming.has(req)) {
            return wait().then((answer) => send(fetchAPI, answer));
          }
          return streamOf(fetchAPI, async (sendNow) => {
            const answer = await wait((now) => sendNow(progressMessage(progressToken, now)));
            return answer.body;
          });
        }, 'application/json');
      },
    }),
  };
};
