import { type GraphQLOutputType, getNullableType, isObjectType } from 'graphql';
import type { Transcribed } from '../transcription/machine.ts';
import { WrittenList } from '../written-list.ts';
import type { FieldPlan } from './field-plan.ts';
import type { Run } from './run.ts';
import type { Selection } from './selection.ts';

/** A list's rows as they were written, and what is left to be executed of each. */
interface TranscribedList {
  readonly selection: Selection;
  readonly transcribed: Transcribed;
  readonly others: readonly FieldPlan[];
}

/**
 * Writes a list's rows from their JSON; undefined where it has to be parsed (see `Transcriber`).
 */
export const transcribeList = (
  run: Run,
  plan: FieldPlan,
  itemType: GraphQLOutputType,
  value: unknown,
): TranscribedList | undefined => {
  if (!run.toBePrinted || !(value instanceof WrittenList)) return undefined;
  const type = getNullableType(itemType);
  const selection = isObjectType(type) ? plan.madeSelectionOf(type) : undefined;
  const { placed } = value;
  const transcriber = placed && selection?.transcriberIn(run, placed.names);
  if (!placed || !selection || !transcriber) return undefined;
  const transcribed = transcriber.transcribe(value, placed);
  if (transcribed) return { selection, transcribed, others: transcriber.others };
  selection.notTranscribed();
  return undefined;
};
