const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$/i;

/** Whether the text is a day that exists, as `YYYY-MM-DD`. */
export const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  // Years of six digits with a sign are dates for JavaScript, too.
  return (
    /^\d{4}-/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString() === `${text}T00:00:00.000Z`
  );
};

/** Whether the text is an ISO 8601 date-time in extended form, on a day that exists. */
export const isDateTime = (text: string): boolean =>
  dateTime.test(text) && isDate(text.slice(0, 10));
