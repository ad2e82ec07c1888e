/** Seconds, as a token or quoted (RFC 9111, section 5.2). */
const seconds = /^(?:\d+|"\d+")$/;

/** How old an answer may be for its caller, in seconds; Infinity where the caller does not say. */
export const maxAgeOf = (cacheControl: string | null): number => {
  const ages = (cacheControl ?? '').split(',').map((directive) => {
    const [name = '', value = ''] = directive.split('=').map((part) => part.trim());
    switch (name.toLowerCase()) {
      // A caller who wants nothing to be kept does not want what was kept.
      case 'no-cache':
      case 'no-store':
        return 0;
      case 'max-age':
        return seconds.test(value) ? Number(value.replaceAll('"', '')) : 0;
      default:
        return Infinity;
    }
  });
  return Math.min(...ages);
};
