import { graphql } from '../src/generated/index.ts';

export const misspelt = graphql(`
  query Misspelt {
    organizations {
      nmae
    }
  }
`);
