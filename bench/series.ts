import { type ClientName, clientNames, mainClient } from './clients.ts';
import type { CallerMode } from './credentials.ts';
import type { OperationName } from './operations.ts';
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

/** The other servers share nothing between requests, and have no bounds for this. */
const measuredWithOneCredential: readonly SubjectName[] = ['Sluice', 'Mercurius'];

const ofOperation = (name: OperationName): readonly (readonly Series[])[] => [
  servers(name, 'pool', subjectNames),
  servers(name, 'same', measuredWithOneCredential),
];

const clients: readonly Series[] = clientNames.map((client) => ({
  table: 'clients',
  subject: 'Sluice',
  operation: 'Q1',
  mode: 'pool',
  client,
}));

/**
 * A round. The series of a row are compared with each other, and so are measured right after each other. The differences between
 * clients are small, so these have three turns. They do not come last, since the next round begins with Q1, which
 * Sluice would then have just executed, unlike the others.
 */
export const rows: readonly (readonly Series[])[] = [
  ...ofOperation('Q1'),
  clients,
  ...ofOperation('Q2'),
  clients,
  ...ofOperation('Q3'),
  clients,
  ...ofOperation('Q4'),
];

/** Each series once. */
export const allSeries: readonly Series[] = [...new Set(rows.flat())];
