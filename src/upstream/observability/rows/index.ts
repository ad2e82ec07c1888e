// Written by `npm run generate` from the files of this folder.
import { rows as alert } from './alert.ts';
import { rows as dashboard } from './dashboard.ts';
import { rows as dataSource } from './data-source.ts';
import { rows as newAlert } from './new-alert.ts';
import { rows as savedSearch } from './saved-search.ts';
import { rows as webhook } from './webhook.ts';

/** The rows of all subjects: one for each operation. */
export const rows = {
  ...alert,
  ...dashboard,
  ...dataSource,
  ...newAlert,
  ...savedSearch,
  ...webhook,
};
