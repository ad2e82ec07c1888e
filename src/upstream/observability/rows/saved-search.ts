import { get, type Identified } from '../../operation.ts';
import { type InStack, inStack } from '../clickstack.ts';
import { inHyperdx } from '../row-parts.ts';

/** Not in the documented interface. */
export type SavedSearchRecord = Identified<{
  name: string;
  sourceId: string;
  select: string;
  where: string;
  whereLanguage: string;
  orderBy: string;
  tags: readonly string[];
  createdAt: string;
  updatedAt: string;
}> &
  InStack;

export const rows = {
  listSavedSearches: inHyperdx(
    get('/api/v2/saved-searches', { freshSeconds: 30 }).list<SavedSearchRecord>(inStack()),
  ),
};
