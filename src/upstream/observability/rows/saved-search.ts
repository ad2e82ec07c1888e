import { get, type Identified, onlyIn } from '../../operation.ts';

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
}>;

export const rows = {
  listSavedSearches: onlyIn('hyperdx')(
    get('/api/v2/saved-searches', { freshSeconds: 30 }).list<SavedSearchRecord>(),
  ),
};
