import type { Wire } from '../operation.ts';

/** A table of a source, and the table that it is copied into. */
export type TableMapping = Wire<{
  sourceSchemaName: string;
  sourceTable: string;
  targetTable: string;
  excludedColumns: readonly string[];
  useCustomSortingKey: boolean;
  sortingKeys: readonly string[];
  // beyond the reference
  tableEngine: string;
  partitionKey: string;
  partitionByExpr: string;
}>;

/** How the connection to a database is encrypted, beyond the reference. */
export type Encryption = Wire<{
  tlsHost: string;
  caCertificate: string;
  disableTls: boolean;
  skipCertVerification: boolean;
}>;
