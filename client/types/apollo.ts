/** Compiled by `npm run check`, never run: Apollo's cache has to take these as they are. */
import { InMemoryCache } from '@apollo/client';
import { possibleTypes, typePolicies } from '@sluice/client/apollo';

export const caches = [
  new InMemoryCache({ possibleTypes, typePolicies }),
  // @ts-expect-error the one is not the other
  new InMemoryCache({ possibleTypes: typePolicies }),
  new InMemoryCache({
    // @ts-expect-error so what stands for a policy is compared with Apollo's
    typePolicies: { ...typePolicies, Tile: { keyFields: 'id' } },
  }),
];
