import type { Call } from '../call.ts';
import type { PathStart } from '../path.ts';
import { isAmong } from './changes.ts';

/** The reads of one path for one holder that are under way, whose answers may be kept. */
export interface Reading {
  readonly path: string;
  readonly holder: string;
  /** How many requests wait. One that joins a read is to know what has happened since it was sent. */
  readers: number;
  /** When a write of the holder, or one that counts for all, last changed it. */
  changedAt: number;
}

/** All reads under way, and what this process's writes have changed of them. */
export interface Readings {
  begin(call: Pick<Call, 'holder' | 'path'>): Reading;
  end(reading: Reading): void;
  /** What one holder reads of these paths, or everybody where none is given, is changed. */
  change(paths: readonly PathStart[], holder?: string): void;
}

export const createReadings = (): Readings => {
  const all = new Map<string, Reading>();
  const keyOf = ({ holder, path }: Pick<Call, 'holder' | 'path'>): string => `${holder} ${path}`;
  return {
    begin: ({ holder, path }) => {
      const begun = { holder, path, readers: 0, changedAt: -Infinity };
      const reading = all.get(keyOf(begun)) ?? begun;
      all.set(keyOf(reading), reading);
      reading.readers += 1;
      return reading;
    },
    end: (reading) => {
      reading.readers -= 1;
      if (reading.readers === 0) all.delete(keyOf(reading));
    },
    change: (paths, holder) => {
      for (const reading of all.values()) {
        const isMeant = holder === undefined || reading.holder === holder;
        if (isMeant && isAmong(paths, reading.path)) reading.changedAt = performance.now();
      }
    },
  };
};
