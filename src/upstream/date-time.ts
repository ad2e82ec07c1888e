const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$/i;

/** Whether the text is a date-time of ISO 8601 in its extended form, on a day that the calendar has. */
export const isDateTime = (text: string): boolean => {
  const day = dateTime.test(text) ? text.slice(0, 10) : undefined;
  if (day === undefined) return false;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};
