import { alertId, organizationId, serviceId } from './backend/ids.ts';
import { distinctAlerts, q1, q2, q3, q4 } from './queries.ts';

export type OperationName = 'Q1' | 'Q2' | 'Q3' | 'Q4';

/** One operation of the benchmark. */
export interface BenchOperation {
  readonly name: OperationName;
  readonly about: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
}

const service = { organizationId, serviceId };

export const operations: readonly BenchOperation[] = [
  { name: 'Q1', about: 'one service, four fields', query: q1, variables: service },
  {
    name: 'Q2',
    about: 'a service, its 20 pipes, its backup configuration, and the invitations',
    query: q2,
    variables: service,
  },
  {
    name: 'Q3',
    about: '100 alerts, each with its dashboard (10 distinct) and its tiles',
    query: q3,
    variables: {},
  },
  {
    name: 'Q4',
    about: '20 times alert(id:) over 10 distinct ids',
    query: q4,
    variables: Object.fromEntries(
      Array.from({ length: distinctAlerts }, (_, index) => [`id${index}`, alertId(index)]),
    ),
  },
];

export const operationNamed = (name: OperationName): BenchOperation => {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

/**
 * Makes request bodies. No two are alike: each carries another number as a variable that the operation
 * does not declare, and which GraphQL ignores.
 */
export const createBodies = ({ name, query, variables }: BenchOperation): (() => string) => {
  const whole = JSON.stringify({
    operationName: name,
    query,
    variables: { ...variables, unused: 0 },
  });
  const start = whole.slice(0, -'0}}'.length);
  let unused = 0;
  return () => {
    unused += 1;
    return `${start}${unused}}}`;
  };
};
