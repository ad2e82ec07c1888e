import { get, type Identified, onlyIn, type Wire } from '../../operation.ts';

/** Not in the documented interface. */
export type DataSourceRecord = Identified<{
  name: string;
  kind: string;
  connection: string;
  from: Wire<{ databaseName: string; tableName: string }>;
}>;

export const rows = {
  listDataSources: onlyIn('hyperdx')(
    get('/api/v2/sources', { freshSeconds: 30 }).list<DataSourceRecord>(),
  ),
};
