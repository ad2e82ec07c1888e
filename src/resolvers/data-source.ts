import type {
  DataSourceResolvers,
  QueryResolvers,
  SavedSearchResolvers,
  WebhookResolvers,
} from '../generated/schema.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { stack } from '../upstream/observability/clickstack.ts';
import { beside, givenIn, pathOf } from './clickstack.ts';
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
  nodeId: ({ id, [stack]: service }) => encodeNodeId('SavedSearch', ...pathOf(service), id),
  source: (search, _, context) =>
    linkedIn(search.sourceId, () => beside(search, context).listDataSources()),
};

export const Webhook: WebhookResolvers = {
  nodeId: ({ id, [stack]: service }) => encodeNodeId('Webhook', ...pathOf(service), id),
};

export const DataSource: DataSourceResolvers = {
  nodeId: ({ id, [stack]: service }) => encodeNodeId('DataSource', ...pathOf(service), id),
  connectionId: ({ connection }) => connection,
  databaseName: ({ from }) => from?.databaseName,
  tableName: ({ from }) => from?.tableName,
};
