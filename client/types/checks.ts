/** Compiled by `npm run check`, never run: each `@ts-expect-error` is a mistake that has to be one. */
import {
  type Client,
  createClient,
  type ResultOf,
  type SluiceErrorCode,
  type VariablesOf,
} from '@sluice/client';
import {
  AlertsDocument,
  type CreatePipeDocument,
  type CreatePipeInput,
  DashboardsDocument,
  LiveAlertsDocument,
  LivePipeDocument,
  NodeDocument,
  PipeDocument,
  type PipeFieldsFragment,
  type UpdateAlertDocument,
  untilPhase,
} from '@sluice/client/operations';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const same = <A, B>(equal: Equal<A, B>): boolean => equal;

const ids = { organizationId: 'o', serviceId: 's' };
const { signal } = new AbortController();

export const variables = async (client: Client): Promise<void> => {
  await client.request(PipeDocument, { ...ids, pipeId: 'p' });
  await client.request(PipeDocument, { ...ids, pipeId: 'p' }, { signal });
  // @ts-expect-error pipeId is required
  await client.request(PipeDocument, ids);
  // @ts-expect-error so are all three
  await client.request(PipeDocument);
  // @ts-expect-error an identifier is a string
  await client.request(PipeDocument, { ...ids, pipeId: 1 });
  // @ts-expect-error there is no such variable
  await client.request(PipeDocument, { ...ids, pipeId: 'p', pipe: 'p' });

  await client.request(AlertsDocument);
  await client.request(AlertsDocument, undefined, { signal });
  await client.request(AlertsDocument, { filter: { sourceIn: ['TILE'] } });
  // @ts-expect-error this value can be read, but not asked for
  await client.request(AlertsDocument, { filter: { sourceIn: ['OTHER'] } });
  // @ts-expect-error the values are in capitals
  await client.execute(AlertsDocument, { filter: { sourceIn: ['tile'] } });

  await client.request(DashboardsDocument);
  await client.request(DashboardsDocument, {}, { signal });
  // @ts-expect-error it takes no variable
  await client.request(DashboardsDocument, { id: 'd' });
  // @ts-expect-error a signal is not a variable
  await client.request(PipeDocument, { signal });
};

export const texts = async (client: Client): Promise<void> => {
  // @ts-expect-error of a plain text no types are known
  await client.request('{ organizations { nmae } }');
  // @ts-expect-error nor with variables
  await client.request('query ($id: ID!) { alert(alertId: $id) { id } }', { id: 'a' });
  // @ts-expect-error neither beside its errors
  await client.execute('{ organizations { nmae } }');
  // @ts-expect-error nor of a document made a text again
  await client.request(String(DashboardsDocument));
};

export const events = async (client: Client): Promise<void> => {
  const pipe = { ...ids, pipeId: 'p' };
  for await (const { data, errors } of client.subscribe(LivePipeDocument, pipe)) {
    data?.pipe?.phase.toLowerCase();
    errors[0]?.code.toLowerCase();
    // @ts-expect-error after errors there may be no data
    data.pipe;
    // @ts-expect-error it has no such field
    data?.pipe?.title;
  }
  client.subscribe(LiveAlertsDocument);
  client.subscribe(LiveAlertsDocument, {}, { signal, onRetry: (why, ms) => [why?.code, ms * 2] });
  // @ts-expect-error pipeId is required
  client.subscribe(LivePipeDocument, ids);
  // @ts-expect-error of a plain text no types are known
  client.subscribe('subscription { alerts { id } }');
};

export const answers = async (client: Client): Promise<void> => {
  const pipe = { ...ids, pipeId: 'p' };
  for await (const { data, extensions } of client.untilWhole(PipeDocument, pipe, { signal })) {
    data?.pipe?.phase.toLowerCase();
    extensions?.progress?.ready.toFixed();
    // @ts-expect-error absent once the answer is whole
    extensions?.progress.ready;
  }
  // @ts-expect-error pipeId is required
  client.untilWhole(PipeDocument, ids);
};

export const phases = async (client: Client): Promise<void> => {
  const { pipe } = await client.request(PipeDocument, { ...ids, pipeId: 'p' });
  if (pipe) (await untilPhase(client, pipe, ['RUNNING'], { timeout: 1, signal })).phase.at(0);
  // @ts-expect-error a pipe can be null
  await untilPhase(client, pipe, ['RUNNING']);
  // @ts-expect-error a phase, not a state
  await untilPhase(client, { ...ids, id: 'p' }, ['Running']);
};

// @ts-expect-error a helper of the generator's own
export type { Incremental } from '@sluice/client/operations';

export const results = async (client: Client): Promise<void> => {
  const { pipe } = await client.request(PipeDocument, { ...ids, pipeId: 'p' });
  const fields: PipeFieldsFragment | null = pipe;
  fields?.name?.toUpperCase();
  // @ts-expect-error a pipe can be null
  pipe.name;
  // @ts-expect-error it has no such field
  pipe?.title;
  // @ts-expect-error a secret that the operation does not ask for
  pipe?.source?.connectionString;
  if (pipe?.source?.__typename === 'KafkaSource') {
    pipe.source.brokers?.split(',');
    // @ts-expect-error a field of another kind of source
    pipe.source.streamName;
  }
  // @ts-expect-error what was read is not changed
  if (pipe) pipe.name = 'another';

  const { data, errors } = await client.execute(PipeDocument, { ...ids, pipeId: 'p' });
  errors[0]?.upstream?.operation.startsWith('get');
  // @ts-expect-error after errors there may be no data
  data.pipe;

  const { node } = await client.request(NodeDocument, { nodeId: 'n' });
  if (node?.__typename === 'Alert') node.threshold?.toFixed();
  // @ts-expect-error not every node has a threshold
  node?.threshold;
};

const kafka = { brokers: 'a:9092', topics: 'clicks' };
const postgres = { host: 'db', port: 5432 };
const pipe = { ...ids, name: 'clicks', destination: { table: 'clicks' } };
export const oneOf: readonly CreatePipeInput[] = [
  { ...pipe, source: { kafka } },
  { ...pipe, source: { postgres } },
  // @ts-expect-error one kind of source, not two
  { ...pipe, source: { kafka, postgres } },
  // @ts-expect-error nor none
  { ...pipe, source: {} },
  // @ts-expect-error nor one that is null
  { ...pipe, source: { kafka: null } },
  // @ts-expect-error nor a pipe without a destination
  { ...ids, name: 'clicks', source: { kafka } },
];

export const derived = [
  same<VariablesOf<typeof CreatePipeDocument>['input'], CreatePipeInput>(true),
  same<ResultOf<typeof CreatePipeDocument>['createPipe']['pipe'], PipeFieldsFragment | null>(true),
  same<ResultOf<typeof UpdateAlertDocument>, ResultOf<typeof CreatePipeDocument>>(false),
];

/** A document of another generator, whose class has members of its own. */
declare class ForeignDocument<Data, Variables> extends String {
  __apiType?: NonNullable<((variables: Variables) => Data) | undefined>;
  private value: string;
  __meta__?: Record<string, unknown>;
}
declare const foreign: ForeignDocument<{ readonly n: number }, { readonly id: string }>;
export const others = async (client: Client): Promise<number> => {
  // @ts-expect-error its variables are known, too
  await client.request(foreign);
  return (await client.request(foreign, { id: 'i' })).n;
};

export const clients = [
  createClient({ url: '/graphql' }),
  createClient({ url: new URL('https://api.example/graphql'), management: () => null }),
  createClient({ url: '/graphql', observability: async () => 'Bearer t', fetch }),
  createClient({ url: '/graphql', credentials: 'include', headers: async () => ({ a: 'b' }) }),
  // @ts-expect-error without a gateway there is no client
  createClient({}),
  // @ts-expect-error a promise, which a function may give, is asked only once
  createClient({ url: '/graphql', observability: Promise.resolve('Bearer t') }),
  // @ts-expect-error a header's value, not its parts
  createClient({ url: '/graphql', management: { keyId: 'k', keySecret: 's' } }),
];

export const codes: readonly SluiceErrorCode[] = ['NOT_FOUND', 'A_CODE_OF_TOMORROW'];
