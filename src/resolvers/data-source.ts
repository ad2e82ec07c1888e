import type {
  DataSourceResolvers,
  QueryResolvers,
  SavedSearchResolvers,
} from '../generated/schema.ts';
import { linkedIn } from './entities.ts';
import type { RootsOf } from './values.ts';

export const Query: RootsOf<QueryResolvers, 'dataSources' | 'webhooks' | 'savedSearches'> = {
  dataSources: (_, __, { upstream }) => upstream.observability.listDataSources(),
  webhooks: (_, __, { upstream }) => upstream.observability.listWebhooks(),
  savedSearches: (_, __, { upstream }) => upstream.observability.listSavedSearches(),
};

export const SavedSearch: SavedSearchResolvers = {
  source: ({ sourceId }, _, { upstream: { observability } }) =>
    linkedIn(sourceId, () => observability.listDataSources()),
};

export const DataSource: DataSourceResolvers = {
  connectionId: ({ connection }) => connection,
  databaseName: ({ from }) => from?.databaseName,
  tableName: ({ from }) => from?.tableName,
};
