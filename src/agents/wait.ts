import { type ExecutionResult, type GraphQLSchema, isEnumType } from 'graphql';
import { isObject } from '../is-object.ts';
import type { JsonObject, ListedTool } from './protocol.ts';

/** The most seconds that a call waits: clients and proxies give up a request that is silent for longer. */
export const mostSeconds = 25;

/** How often a client hears that the call still waits, in milliseconds. */
const progressEveryMs = 5000;

/** The phases of what each tool waits for. */
const enums: Readonly<Record<string, string>> = {
  wait_for: 'ServicePhase',
  wait_for_pipe: 'PipePhase',
};

/** A tool that watches something, with the arguments of a wait. Other tools stay as they are. */
export const asWaiting = <Tool extends ListedTool>(schema: GraphQLSchema, tool: Tool): Tool => {
  const type = schema.getType(enums[tool.name] ?? '');
  if (!isEnumType(type)) return tool;
  const phaseIn = {
    ...{ type: 'array', items: { type: 'string', enum: type.getValues().map(({ name }) => name) } },
    ...{ minItems: 1, description: 'The phases that end the wait.' },
  };
  const maxSeconds = {
    ...{ type: 'integer', minimum: 1, maximum: mostSeconds, default: mostSeconds },
    description: 'The longest wait.',
  };
  const properties = { ...tool.properties, phaseIn, maxSeconds };
  return { ...tool, properties, required: [...tool.required, 'phaseIn'] };
};

interface WaitOptions {
  readonly given: JsonObject;
  /** When the call came, in milliseconds of `performance.now()`. */
  readonly began: number;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
}

const thingIn = ({ data }: ExecutionResult): JsonObject => {
  const [thing] = Object.values(data ?? {});
  return isObject(thing) ? thing : {};
};

/**
 * Takes events of a pipe or a service until it is in one of the phases, or the time is over. Then the stream is left, so
 * that its polls end. A lasting failure ends the stream by itself.
 */
export const waitFor = async (
  events: AsyncIterable<ExecutionResult>,
  { given: { phaseIn, maxSeconds }, began, onProgress }: WaitOptions,
): Promise<ExecutionResult> => {
  const iterator = events[Symbol.asyncIterator]();
  const phases: readonly unknown[] = [phaseIn].flat();
  const total = Number(maxSeconds ?? mostSeconds);
  const secondsNow = (): number => Math.round(performance.now() - began) / 1000;
  let last: ExecutionResult = {};
  let told = 0;
  const isReached = (): boolean => phases.includes(thingIn(last).phase);
  let regularly: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(regularly);
    regularly = setTimeout(tell, progressEveryMs);
    const progress = secondsNow();
    // Each notification must have more progress than the last.
    if (progress <= told) return;
    told = progress;
    onProgress?.({ progress, total, message: `phase ${thingIn(last).phase ?? 'not read yet'}` });
  };
  const time = Promise.withResolvers<undefined>();
  const timer = setTimeout(time.resolve, began + total * 1000 - performance.now());
  try {
    tell();
    while (!isReached()) {
      const next = await Promise.race([iterator.next(), time.promise]);
      if (!next || next.done) break;
      last = next.value;
      tell();
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(regularly);
    await iterator.return?.();
  }
  if (last.errors) return last;
  const reached = isReached();
  const advice = reached ? undefined : 'Not yet: call wait_for again with the same arguments.';
  return { data: { reached, waitedSeconds: Math.round(secondsNow()), ...last.data, advice } };
};
