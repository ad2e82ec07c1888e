import { createServer, type IncomingMessage } from 'node:http';
import type { Pipe, Source } from '../pipes.ts';
import type { Alert, Backup, Dashboard, Invitation, Service } from '../world.ts';
import { count, paths } from '../world.ts';
import { createRead, createUndiciCall, listen, type Read } from './upstream.ts';

/**
 * LIMIT: code that a careful programmer writes by hand for exactly these four queries. It uses no GraphQL, picks fields one
 * by one, and makes equal reads of a request once.
 */
type Answer = (read: Read, variables: Readonly<Record<string, string>>) => Promise<unknown>;

const pickSource = ({ kafka, postgres }: Source) => {
  if (kafka) {
    const { brokers, topics, consumerGroup, iamRole } = kafka;
    const offset = { timestamp: kafka.offset.timestamp };
    return { __typename: 'KafkaSource', brokers, topics, consumerGroup, iamRole, offset };
  }
  if (!postgres) return null;
  const { host, port, database } = postgres;
  const tableMappings = postgres.tableMappings.map((mapping) => {
    const { sourceTable, targetTable, excludedColumns } = mapping;
    return { sourceTable, targetTable, excludedColumns };
  });
  return { __typename: 'PostgresSource', host, port, database, tableMappings };
};

const pickPipe = (pipe: Pipe) => {
  const { id, name, state, createdAt } = pipe;
  const { replicas, concurrency, replicaMemoryGb } = pipe.scaling;
  const { database, table, managedTable } = pipe.destination;
  const columns = pipe.destination.columns.map(({ name, type }) => ({ name, type }));
  const picked = {
    scaling: { replicas, concurrency, replicaMemoryGb },
    source: pickSource(pipe.source),
    destination: { database, table, managedTable, columns },
    fieldMappings: pipe.fieldMappings.map(({ sourceField, destinationField }) => {
      return { sourceField, destinationField };
    }),
    settings: {
      streamingMaxInsertWaitMs: pipe.settings.streaming_max_insert_wait_ms,
      engineMaxThreads: pipe.settings.engine_max_threads,
    },
  };
  return { id, name, state, createdAt, ...picked };
};

const q1: Answer = async (read, { organizationId = '', serviceId = '' }) => {
  const service = await read<Service>(paths.service(organizationId, serviceId));
  const { name, engineVersion, numReplicas, createdAt } = service;
  return { service: { name, engineVersion, numReplicas, createdAt } };
};

const q2: Answer = async (read, { organizationId = '', serviceId = '' }) => {
  const [service, backup, pipes, invitations] = await Promise.all([
    read<Service>(paths.service(organizationId, serviceId)),
    read<Backup>(paths.backup(organizationId, serviceId)),
    read<Pipe[]>(paths.pipes(organizationId, serviceId)),
    read<Invitation[]>(paths.invitations(organizationId)),
  ]);
  const { id, name, engineVersion, numReplicas, idleScaling, createdAt } = service;
  const endpoints = service.endpoints.map(({ protocol, host, port, username }) => {
    return { protocol, host, port, username };
  });
  const { backupPeriodInHours, backupStartTime } = backup;
  const picked = { id, name, engineVersion, numReplicas, idleScaling, createdAt, endpoints };
  return {
    service: {
      ...picked,
      backupConfiguration: {
        backupPeriodInHours,
        backupRetentionPeriodInHours: null,
        backupStartTime,
      },
      pipes: pipes.map(pickPipe),
    },
    organization: {
      invitations: invitations.map(({ id, email, createdAt }) => {
        return { id, email, createdAt, expiresAt: null };
      }),
    },
  };
};

const q3: Answer = async (read) => {
  const alerts = await read<Alert[]>(paths.alerts);
  const ids = [...new Set(alerts.map(({ dashboard }) => dashboard))];
  const entries = ids.map(async (id) => {
    const { name, tiles } = await read<Dashboard>(paths.dashboard(id));
    return [id, { name, tiles: tiles.map((tile) => ({ name: tile.name })) }] as const;
  });
  const dashboards = new Map(await Promise.all(entries));
  return {
    alerts: alerts.map((alert) => {
      const { id, name, state, threshold, interval } = alert;
      return { id, name, state, threshold, interval, dashboard: dashboards.get(alert.dashboard) };
    }),
  };
};

const q4: Answer = async (read, variables) => {
  const ids = count(10, (index) => variables[`id${index}`] ?? '');
  const alerts = await Promise.all(ids.map((id) => read<Alert>(paths.alert(id))));
  const picked = alerts.map(({ id, name, state, threshold, interval }) => {
    return { id, name, state, threshold, interval };
  });
  return Object.fromEntries(count(20, (index) => [`a${index}`, picked[index % 10]]));
};

const q0: Answer = async () => ({ __typename: 'Query' });

const answers: Readonly<Record<string, Answer>> = { Q0: q0, Q1: q1, Q2: q2, Q3: q3, Q4: q4 };
const call = createUndiciCall();

const answer = async (request: IncomingMessage, text: string): Promise<string> => {
  const { operationName, variables } = JSON.parse(text);
  const read = createRead((name) => request.headers[name], call);
  return JSON.stringify({ data: await answers[operationName]?.(read, variables) });
};

createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', async () => {
    const body = await answer(request, text);
    const length = Buffer.byteLength(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.end(body);
  });
}).listen(listen);
