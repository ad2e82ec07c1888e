import { Refusal } from '../../refusal.ts';
import type { RestInterface } from '../../rest-interface.ts';

/** Checks credentials like `admit`, but accepts only one spelling of the scheme. */
export const bearerOnly =
  <T>(admit: RestInterface<T>['authenticate']): RestInterface<T>['authenticate'] =>
  (request) => {
    if (!/^Bearer \S/.test(request.headers.authorization ?? '')) {
      throw new Refusal(401, 'Unauthorized');
    }
    return admit(request);
  };
