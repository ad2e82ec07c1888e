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
        return /^\d{1,9}$/.test(value) ? Number(value) : 0;
      default:
        return Infinity;
    }
  });
  return Math.min(...ages);
};
