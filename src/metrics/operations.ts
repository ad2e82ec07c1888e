import type { OperationTypeNode } from 'graphql';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ErrorCode } from '../errors/describe.ts';

/** The type is `unknown` for an operation that was refused before execution. */
const types = ['query', 'mutation', 'subscription', 'unknown'] as const satisfies readonly (
  | `${OperationTypeNode}`
  | 'unknown'
)[];
export type OperationType = (typeof types)[number];

const outcomes = ['ok', 'partial', 'failed'] as const;
type Outcome = (typeof outcomes)[number];

const fieldCodes = {
  BAD_USER_INPUT: true,
  UNAUTHENTICATED: true,
  FORBIDDEN: true,
  NOT_FOUND: true,
  RATE_LIMITED: true,
  UPSTREAM_TIMEOUT: true,
  UPSTREAM_UNAVAILABLE: true,
  UPSTREAM_BAD_RESPONSE: true,
  UPSTREAM_ERROR: true,
  OPERATION_UNAVAILABLE: true,
  SERVICE_NOT_RUNNING: true,
  UPSTREAM_BUDGET_EXCEEDED: true,
  INTERNAL_SERVER_ERROR: true,
} satisfies Readonly<Record<ErrorCode, true>>;

/** Every code that an error may have. Codes of other plugins are counted as `OTHER`. */
const errorCodes: readonly string[] = [
  ...Object.keys(fieldCodes),
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_REQUEST',
  'REQUEST_ENTITY_TOO_LARGE',
  'LIMIT_EXCEEDED',
  'MUTATIONS_OFF',
  'PERSISTED_OPERATION_REQUIRED',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'OTHER',
];

interface AnsweredOperation {
  readonly type: OperationType;
  readonly hasData: boolean;
  readonly codes: ReadonlySet<unknown>;
  /** Absent for an event stream, which lasts as long as its client wants. */
  readonly milliseconds?: number;
  /** Whether the caller has left. Then the errors only say that the remaining calls were given up. */
  readonly hasLeft?: boolean;
}

export interface OperationFigures {
  answered(operation: AnsweredOperation): void;
}

const outcomeOf = ({ codes, hasData }: AnsweredOperation): Outcome => {
  if (codes.size === 0) return 'ok';
  return hasData ? 'partial' : 'failed';
};

const known = new Set<unknown>(errorCodes);

export const createOperationFigures = (registry: Registry): OperationFigures => {
  const registers = [registry];
  const operations = new Counter({
    name: 'sluice_operations_total',
    help: 'GraphQL operations that were answered, and streams that were opened.',
    labelNames: ['type', 'outcome'],
    registers,
  });
  const errors = new Counter({
    name: 'sluice_operation_errors_total',
    help: 'Operations with at least one error that has this code.',
    labelNames: ['code'],
    registers,
  });
  const durations = new Histogram({
    name: 'sluice_operation_duration_seconds',
    help: 'Time from request to answer, with all waiting; for a response in parts, to its first part.',
    labelNames: ['type'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers,
  });
  // `rate` ignores the first event of a counter that begins with this event.
  for (const type of types) {
    for (const outcome of outcomes) operations.inc({ type, outcome }, 0);
    durations.zero({ type });
  }
  for (const code of errorCodes) errors.inc({ code }, 0);

  return {
    answered: (operation) => {
      const { type, codes, milliseconds, hasLeft = false } = operation;
      operations.inc({ type, outcome: outcomeOf(operation) });
      const counted = [...codes].map((code) => (known.has(code) ? String(code) : 'OTHER'));
      if (!hasLeft) for (const code of new Set(counted)) errors.inc({ code });
      if (milliseconds !== undefined) durations.observe({ type }, milliseconds / 1000);
    },
  };
};
