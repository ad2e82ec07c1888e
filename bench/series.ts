import { type ClientName, clientNames, mainClient } from './clients.ts';
import type { CallerMode } from './credentials.ts';
import { type OperationName, operations } from './operations.ts';
import { type SubjectName, subjectNames } from './subject.ts';

/** What is measured again in each round: one operation on one server, by one client. */
export interface Series {
  readonly table: 'servers' | 'clients';
  readonly subject: SubjectName;
  readonly operation: OperationName;
  readonly mode: CallerMode;
  readonly client: ClientName;
}

const servers = (
  operation: OperationName,
  mode: CallerMode,
  subjects: readonly SubjectName[],
): readonly Series[] =>
  subjects.map((subject) => ({ table: 'servers', subject, operation, mode, client: mainClient }));

/**
 * All series. Those of a row are compared with each other, and so are measured right after each other.
 * The other servers share nothing between requests. Only the one that has bounds is measured with one credential too.
 */
export const rows: readonly (readonly Series[])[] = [
  ...operations.flatMap(({ name }) => [
    servers(name, 'pool', subjectNames),
    servers(name, 'same', ['Sluice', 'Mercurius']),
  ]),
  clientNames.map((client) => ({
    table: 'clients',
    subject: 'Sluice',
    operation: 'Q1',
    mode: 'pool',
    client,
  })),
];
