/**
 * The content of the member `name` in everything that the backend sends. It shows whose data an answer holds, how old each
 * part is, and which state of a pipe it shows.
 */
export interface Stamp {
  /** The named thing, such as `pipe 0.3.1`. */
  readonly thing: string;
  /** Number of the credential of the backend call. */
  readonly caller: number;
  /** How often the pipe's state has changed; 0 for everything else. */
  readonly version: number;
  /** When the backend read it, in milliseconds of the Unix epoch. */
  readonly at: number;
}

export const nameOf = ({ thing, caller, version, at }: Stamp): string =>
  `${thing}, caller ${caller}, version ${version}, at ${at}`;

/** Parses a name; undefined if the backend did not make it. */
export const readName = (name: unknown): Stamp | undefined => {
  const form = /^(\w+ [\d.]+), caller (\d+), version (\d+), at (\d+)$/;
  const [, thing, caller, version, at] = form.exec(String(name)) ?? [];
  if (thing === undefined) return undefined;
  return { thing, caller: Number(caller), version: Number(version), at: Number(at) };
};

/** A pipe runs at first, and each change of its state stops or starts it. */
export const stateOf = (version: number): string => (version % 2 === 0 ? 'Running' : 'Stopped');
