import { isNotFound, type Part, UpstreamError } from '../upstream/error.ts';

/**
 * Makes a call for a part of an object. If the answer is 404 although the object exists, the error says that only the part
 * is missing.
 *
 * @param find rejects if the object does not exist
 */
export const ofPart = async <Result>(
  call: Promise<Result>,
  part: Part,
  find: () => Promise<unknown>,
): Promise<Result> => {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isThere = await find().then(
      () => true,
      () => false,
    );
    throw isThere ? new UpstreamError({ ...error.failure, part }) : error;
  }
};

/** Reads a part of an object that the object may lack: its answer is 404 then, and the result null. */
export const orNoPart = async <Result>(call: Promise<Result>): Promise<Result | null> => {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
};
