import { Refusal } from '../../refusal.ts';
import type { RestInterface } from '../../rest-interface.ts';

/** Admits as `admit` does, but knows the scheme in one spelling alone. */
export const bearerOnly =
  <T>(admit: RestInterface<T>['authenticate']): RestInterface<T>['authenticate'] =>
  (request) => {
    if (!/^Bearer \S/.test(request.headers.authorization ?? '')) {
      throw new Refusal(401, 'Unauthorized');
    }
    return admit(request);
  };
