import { graphql } from 'react-relay';

export const misspelt = graphql`
  query misspeltQuery {
    organizations {
      nmae
    }
  }
`;
