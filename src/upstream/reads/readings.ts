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
  /** When a write of another last may have changed it. */
  touchedAt: number;
}

/** All reads under way, and what this process's writes have changed of them. */
export interface Readings {
  begin(call: Pick<Call, 'holder' | 'path'>): Reading;
  end(reading: Reading): void;
  /** What one holder reads of these paths, or everybody where none is given, is changed. */
  change(paths: readonly PathStart[], holder?: string): void;
  /** What anybody reads of these paths may have changed. */
  touch(paths: readonly PathStart[]): void;
}

export const createReadings = (): Readings => {
  const all = new Map<string, Reading>();
  const keyOf = ({ holder, path }: Pick<Call, 'holder' | 'path'>): string => `${holder} ${path}`;
  return {
    begin: ({ holder, path }) => {
      const never = { changedAt: -Infinity, touchedAt: -Infinity };
      const reading = all.get(keyOf({ holder, path })) ?? { holder, path, readers: 0, ...never };
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
    touch: (paths) => {
      for (const reading of all.values()) {
        if (isAmong(paths, reading.path)) reading.touchedAt = performance.now();
      }
    },
  };
};
