const minuteMs = 60_000;

type Span = { readonly days?: number; readonly hours?: number; readonly minutes?: number };

/** The time that lies this long before now. */
export const before = (now: Date, { days = 0, hours = 0, minutes = 0 }: Span): string =>
  new Date(now.getTime() - ((days * 24 + hours) * 60 + minutes) * minuteMs).toISOString();
