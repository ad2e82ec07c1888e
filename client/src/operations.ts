export * from './generated/operations.ts';
export { type PipeIdentifiers, phasesAfter, untilPhase, type WaitOptions } from './until-phase.ts';
