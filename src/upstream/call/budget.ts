import { wasNeverSent } from '../carried-out.ts';
import { UpstreamError } from '../error.ts';
import { givenUp } from './abort.ts';
import { failed, type Step } from './call.ts';

/** Holds an operation to the calls that it may make, in all and at a time. A call that is never sent does not count. */
export const budget: Step = async (call, next) => {
  const { budget: own, signal } = call;
  if (!own.take()) throw failed(call, { reason: 'over-budget' });
  if (!(await own.begin(signal))) {
    own.refund();
    throw givenUp(call);
  }
  try {
    return await next(call);
  } catch (error) {
    if (error instanceof UpstreamError && wasNeverSent(error.failure)) own.refund();
    throw error;
  } finally {
    own.end();
  }
};
