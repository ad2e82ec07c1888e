import { get, type Identified, type Wire } from '../../operation.ts';
import { type InStack, inStack } from '../clickstack.ts';
import { inHyperdx } from '../row-parts.ts';

/** Not in the documented interface. */
export type DataSourceRecord = Identified<{
  name: string;
  kind: string;
  connection: string;
  from: Wire<{ databaseName: string; tableName: string }>;
}> &
  InStack;

export const rows = {
  listDataSources: inHyperdx(
    get('/api/v2/sources', { freshSeconds: 30 }).list<DataSourceRecord>(inStack()),
  ),
};
