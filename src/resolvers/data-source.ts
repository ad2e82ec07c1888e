import type {
  DataSourceResolvers,
  QueryResolvers,
  SavedSearchResolvers,
} from '../generated/schema.ts';
import { beside, givenIn } from './clickstack.ts';
import { linkedIn } from './entities.ts';
import type { RootsOf } from './values.ts';

export const Query: RootsOf<QueryResolvers, 'dataSources' | 'webhooks' | 'savedSearches'> = {
  dataSources: (_, args, context) =>
    givenIn(args, context, { operation: 'listDataSources' }).listDataSources(),
  webhooks: (_, args, context) =>
    givenIn(args, context, { operation: 'listWebhooks' }).listWebhooks(),
  savedSearches: (_, args, context) =>
    givenIn(args, context, { operation: 'listSavedSearches' }).listSavedSearches(),
};

export const SavedSearch: SavedSearchResolvers = {
  source: (search, _, context) =>
    linkedIn(search.sourceId, () => beside(search, context).listDataSources()),
};

export const DataSource: DataSourceResolvers = {
  connectionId: ({ connection }) => connection,
  databaseName: ({ from }) => from?.databaseName,
  tableName: ({ from }) => from?.tableName,
};
