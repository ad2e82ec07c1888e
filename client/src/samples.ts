export * from './generated/samples.ts';
