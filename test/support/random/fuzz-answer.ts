const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isIndex = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

/** Follows a path as far as possible; returns whether it ends at or within a null. */
const leadsToNull = (data: unknown, path: readonly unknown[]): boolean => {
  let value: unknown = data;
  for (const key of path) {
    if (value === null) return true;
    if (Array.isArray(value) && isIndex(key)) value = value[Number(key)];
    else if (isRecord(value) && typeof key === 'string' && Object.hasOwn(value, key)) {
      value = value[key];
    } else return false;
  }
  return value === null;
};

const isLocation = (value: unknown): boolean =>
  isRecord(value) && Number(value.line) >= 1 && Number(value.column) >= 1;

const faultOfError = (error: unknown, data: unknown): string | undefined => {
  if (!isRecord(error)) return 'an error is no object';
  const { message, locations, path, extensions, ...rest } = error;
  if (Object.keys(rest).length > 0) return `unknown members of an error: ${Object.keys(rest)}`;
  if (typeof message !== 'string' || message === '') return 'an error without a message';
  if (locations !== undefined && !(Array.isArray(locations) && locations.every(isLocation))) {
    return 'locations of the wrong form';
  }
  if (path !== undefined) {
    if (!Array.isArray(path)) return 'a path that is no list';
    if (!path.every((key) => typeof key === 'string' || isIndex(key)))
      return 'a path of the wrong form';
    if (!leadsToNull(data, path)) return `the path ${path.join('.')} of an error leads to no null`;
  }
  if (!isRecord(extensions)) return 'an error without extensions';
  const { code, requestId } = extensions;
  if (typeof code !== 'string' || !/^[A-Z_]+$/.test(code)) return `no code: ${String(code)}`;
  if (code === 'INTERNAL_SERVER_ERROR') return 'an error of the gateway’s own';
  return typeof requestId === 'string' ? undefined : 'an error without the request’s id';
};

/** The reason why an answer is not a valid GraphQL response; undefined if it is valid. */
export const faultOfBody = (body: unknown): string | undefined => {
  if (!isRecord(body)) return 'the body is no object';
  const { data, errors, extensions, ...rest } = body;
  if (Object.keys(rest).length > 0) return `unknown members: ${Object.keys(rest)}`;
  if (extensions !== undefined && !isRecord(extensions)) return 'extensions are no object';
  if (data === undefined && errors === undefined) return 'neither data nor errors';
  if (data !== undefined && data !== null && !isRecord(data)) return 'data is no object';
  if (data === null && errors === undefined) return 'null without an error';
  if (errors === undefined) return undefined;
  if (!Array.isArray(errors) || errors.length === 0) return 'errors are no list, or empty';
  return errors.map((error) => faultOfError(error, data)).find((fault) => fault !== undefined);
};
