import { readFileSync } from 'node:fs';
import { EncodedPlan, TooLarge } from './encode.ts';
import { Machine, type Placed, type Transcribed } from './machine.ts';
import type { RowPlan } from './plan.ts';

/** Read at the start: an installation that lacks it is not to be found out later. */
const code = readFileSync(new URL('transcribe.wasm', import.meta.url));

/** Undefined where this machine, or what is left of its memory, does not allow it. */
const makeMachine = (): Machine | undefined => {
  try {
    return new Machine(new WebAssembly.Module(code));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return undefined;
    throw error;
  }
};

let machine: { readonly made: Machine | undefined } | undefined;

/** Made when it is first needed: most starts never need one. */
const theMachine = (): Machine | undefined => {
  machine ??= { made: makeMachine() };
  return machine.made;
};

/**
 * Writes a list's rows straight from their JSON, which is UTF-8. Undefined where anything is not as
 * the plan expects: it is then to be parsed and completed as ever, and if there is an error, that
 * tells it.
 *
 * @param start where the list's bracket stands
 */
export type Transcribe = (json: Buffer, start: number, placed: Placed) => Transcribed | undefined;

/**
 * Prepares the transcription of a plan's rows; undefined where that cannot be done here, or the
 * plan is too large.
 */
export const createTranscribe = (plan: RowPlan): Transcribe | undefined => {
  const used = theMachine();
  if (!used) return undefined;
  try {
    const encoded = new EncodedPlan(plan);
    return (json, start, placed) => used.transcribe(encoded, json, start, placed);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
};
