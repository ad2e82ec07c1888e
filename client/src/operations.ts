export * from './generated/operations.ts';
export { type PipeIdentifiers, untilPhase, type WaitOptions } from './until-phase.ts';
