/** A content coding that a file can be sent in. */
export type Coding = 'br' | 'gzip' | 'identity';

const member = /^([\w!#$%&'*+.^`|~-]+)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?$/i;

const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').flatMap((part): [string, number][] => {
      const [, coding, weight = '1'] = member.exec(part.trim()) ?? [];
      return coding === undefined ? [] : [[coding.toLowerCase(), Number(weight)]];
    }),
  );

/**
 * The smallest of the codings that a caller likes best, by its `accept-encoding` (RFC 9110, section
 * 12.5.3); undefined where it takes none of them.
 */
export const codingFor = (header: string | undefined): Coding | undefined => {
  // A caller that says nothing may not know of any.
  if (header === undefined) return 'identity';
  const weights = weightsOf(header);
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const packed = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  const plainWeight = weights.get('identity');
  if (weightOf(packed) > 0 && weightOf(packed) >= (plainWeight ?? 0)) return packed;
  return (plainWeight ?? weights.get('*')) === 0 ? undefined : 'identity';
};
