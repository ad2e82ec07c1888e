import { setTimeout as pause } from 'node:timers/promises';
import type { Agent, Data, Spent } from './agent.ts';

/** What a user asks an agent for, in the demo's world. */
export interface Job {
  readonly asks: string;
  /** The right answer: of a query with the same credentials, after the script. */
  readonly truth: readonly [query: string, answer: (data: Data) => unknown];
  /** The calls that a sensible agent makes, and its answer. */
  readonly script: (call: Agent['call']) => Promise<unknown>;
  /**
   * What the job took with the tools of commit 8ed4eb13, measured in the same world; absent if they could not do it, or
   * only a part of it.
   */
  readonly before?: Spent;
}

/** What no interface of the upstreams can answer: the text of the tool must say so. */
export interface Impossible {
  readonly asks: string;
  readonly tool: string;
  readonly says: RegExp;
}

const took = (calls: number, characters: number): Spent => ({ calls, characters });
const sorted = (values: readonly unknown[]): readonly string[] =>
  values.map((value) => JSON.stringify(value)).sort();
const named = (list: readonly Data[]): readonly string[] => sorted(list.map(({ name }) => name));
/** The question to the only organization that the key sees, and its answer. */
const organization = (selection: string, answer: (organization: Data) => unknown): Job['truth'] => [
  `{ organizations { ${selection} } }`,
  ({ organizations: [only] }) => answer(only),
];
/** Asks by GraphQL through the tool. */
const queried = async (call: Agent['call'], [query, answer]: Job['truth']): Promise<unknown> => {
  const { data } = await call('query', { query });
  return answer(data);
};
/** A job that one query does. */
const byQuery = (asks: string, truth: Job['truth'], before?: Spent): Job => ({
  ...{ asks, truth, script: (call) => queried(call, truth) },
  ...(before && { before }),
});

const week = { fromDate: '2026-11-15', toDate: '2026-11-21' } as const;
const pipeOf = ({ name, service }: Data) => [name, service.name];

/** Asks again as long as an answer says when it will have more. */
const whole = async (call: Agent['call'], tool: string, given?: object): Promise<Data> => {
  const answer = await call(tool, { ...given });
  const seconds: unknown = answer.incomplete?.wholeInSeconds;
  if (typeof seconds !== 'number') return answer;
  await pause(1000 * seconds);
  return whole(call, tool, given);
};

/** The pipe by its name, and what a write on it needs. */
const findPipe = async (call: Agent['call'], nameContains: string) => {
  const { organization } = await call('list_pipes', { nameContains });
  const [{ id, name, service }] = organization.pipes.items;
  const place = { serviceId: service.id, pipeId: id };
  return { place, names: { confirmName: name, confirmServiceName: service.name } };
};

const phaseOf = (name: string): Job['truth'] =>
  organization(`pipes(filter: { nameContains: "${name}" }) { items { phase } }`, ({ pipes }) => {
    const [{ phase }] = pipes.items;
    return phase;
  });

/** The jobs in one organization. The last ones change what others read. */
export const jobs: readonly Job[] = [
  {
    asks: 'What needs my attention?',
    truth: [
      `{
        alerts(filter: { phaseIn: [FIRING] }) { displayName }
        organizations {
          pipes(filter: { phaseIn: [FAILED] }) { items { name service { name } } }
          services { name backups(first: 1) { status } }
        }
      }`,
      ({ alerts, organizations: [{ pipes, services }] }) => ({
        alerts: sorted(alerts.map(({ displayName }: Data) => displayName)),
        pipes: sorted(pipes.items.map(pipeOf)),
        backups: named(services.filter(({ backups: [last] }: Data) => last?.status === 'error')),
      }),
    ],
    script: async (call) => {
      const { alerts, organization } = await call('get_attention');
      return {
        alerts: named(alerts),
        pipes: sorted(organization.failedPipes.items.map(pipeOf)),
        backups: named(organization.failedBackups),
      };
    },
    before: took(1, 1657),
  },
  {
    asks: 'Which pipes have failed, and in which service?',
    truth: organization(
      'pipes(filter: { phaseIn: [FAILED] }) { items { name service { name } } }',
      ({ pipes }) => sorted(pipes.items.map(pipeOf)),
    ),
    script: async (call) => {
      const { organization } = await call('list_pipes', { phaseIn: ['FAILED'] });
      return sorted(organization.pipes.items.map(pipeOf));
    },
    before: took(2, 984),
  },
  {
    asks: 'Whom does each firing alert notify?',
    truth: [
      '{ alerts(filter: { phaseIn: [FIRING] }) { displayName channel { webhook { name } } } }',
      ({ alerts }) =>
        sorted(alerts.map(({ displayName, channel }: Data) => [displayName, channel.webhook.name])),
    ],
    script: async (call) => {
      const { alerts } = await call('list_alerts', { phaseIn: ['FIRING'] });
      return sorted(alerts.map(({ name, channel }: Data) => [name, channel.webhook.name]));
    },
    before: took(5, 3466),
  },
  {
    asks: 'Which dashboards have a firing alert?',
    truth: [
      '{ dashboards { name alerts(filter: { phaseIn: [FIRING] }) { id } } }',
      ({ dashboards }) => named(dashboards.filter(({ alerts }: Data) => alerts.length > 0)),
    ],
    script: async (call) => {
      const { alerts } = await call('list_alerts', { phaseIn: ['FIRING'] });
      const dashboards = alerts.flatMap(({ dashboard }: Data) => dashboard?.name ?? []);
      return sorted([...new Set(dashboards)]);
    },
    before: took(2, 1104),
  },
  {
    asks: 'How many pipes has each service in each phase?',
    truth: organization('pipes { items { phase service { name } } }', ({ pipes }) =>
      Object.fromEntries(
        Object.entries(Object.groupBy(pipes.items, ({ service }: Data) => service.name)).map(
          ([name, list = []]) => [name, sorted(list.map(({ phase }: Data) => phase))],
        ),
      ),
    ),
    script: async (call) => {
      const { organization } = await call('list_pipes');
      const byService = Object.groupBy(
        organization.pipes.items,
        ({ service }: Data) => service.name as string,
      );
      return Object.fromEntries(
        Object.entries(byService).map(([name, list = []]) => [
          name,
          sorted(list.map(({ phase }: Data) => phase)),
        ]),
      );
    },
    before: took(2, 2374),
  },
  {
    asks: 'Which key stopped staging, and when?',
    truth: organization(
      'apiKeys { id name } activities(typeIn: ["service_stop"]) { createdAt actorId }',
      ({ apiKeys, activities: [{ createdAt, actorId }] }) => [
        createdAt,
        apiKeys.find(({ id }: Data) => id === actorId).name,
      ],
    ),
    script: async (call) => {
      const { organization } = await call('list_activities', { typeIn: ['service_stop'] });
      const [{ createdAt, actorKey }] = organization.activities;
      return [createdAt, actorKey.name];
    },
  },
  {
    asks: 'What did each service cost last week with its pipes, and the week before?',
    truth: organization(
      `usageCost(fromDate: "${week.fromDate}", toDate: "${week.toDate}") {
        byEntity(first: 100) { serviceId totalChc }
        previous { byEntity(first: 100) { serviceId totalChc } }
      }
      services { id name }`,
      ({ usageCost: { byEntity, previous }, services }) => {
        const sum = (list: readonly Data[], serviceId: string): number =>
          list
            .filter((each) => each.serviceId === serviceId)
            .reduce((total, { totalChc }) => total + totalChc, 0);
        return sorted(
          services.map(({ id, name }: Data) => [
            name,
            sum(byEntity, id).toFixed(2),
            sum(previous.byEntity, id).toFixed(2),
          ]),
        );
      },
    ),
    script: async (call) => {
      const { organization } = await call('get_cost', week);
      const { byService, daysBefore } = organization.usageCost;
      const before = new Map(
        daysBefore.byService.map(({ serviceId, totalChc }: Data) => [serviceId, totalChc]),
      );
      return sorted(
        byService.map(({ serviceId, serviceName, totalChc }: Data) => [
          serviceName,
          totalChc.toFixed(2),
          Number(before.get(serviceId) ?? 0).toFixed(2),
        ]),
      );
    },
    before: took(2, 6475),
  },
  {
    asks: 'Which keys have an end, and which of them is over already?',
    truth: organization('apiKeys { name expiresAt }', ({ apiKeys }) =>
      sorted(
        apiKeys
          .filter(({ expiresAt }: Data) => expiresAt)
          .map(({ name, expiresAt }: Data) => [name, Date.parse(expiresAt) < Date.now()]),
      ),
    ),
    script: async (call) => {
      const { now, organization } = await call('list_api_keys');
      return sorted(
        organization.apiKeys
          .filter(({ expiresAt }: Data) => expiresAt)
          .map(({ name, expiresAt }: Data) => [name, Date.parse(expiresAt) < Date.parse(now)]),
      );
    },
  },
  {
    asks: 'How did the last backup of each service end?',
    truth: organization('services { name backups(first: 1) { status } }', ({ services }) =>
      sorted(services.map(({ name, backups: [last] }: Data) => [name, last?.status])),
    ),
    script: async (call) => {
      const { organization } = await call('list_backups', { first: 1 });
      return sorted(
        organization.services.map(({ name, backups: [last] }: Data) => [name, last?.status]),
      );
    },
    before: took(5, 1434),
  },
  {
    asks: 'Which services are tagged with production?',
    truth: organization('services { name tags { value } }', ({ services }) =>
      named(
        services.filter(({ tags }: Data) => tags.some(({ value }: Data) => value === 'production')),
      ),
    ),
    script: async (call) => {
      const { organization } = await call('list_services', { tagIn: ['environment=production'] });
      return named(organization.services);
    },
    before: took(5, 5168),
  },
  byQuery(
    'Which Kafka topics do we read?',
    organization(
      'pipes(filter: { sourceIn: [KAFKA] }) { items { name source { ... on KafkaSource { topics } } } }',
      ({ pipes }) => sorted(pipes.items.map(({ name, source }: Data) => [name, source.topics])),
    ),
    took(3, 1845),
  ),
  byQuery(
    'Which Postgres hosts do we copy from?',
    organization(
      'pipes(filter: { sourceIn: [POSTGRES] }) { items { name source { ... on PostgresSource { host } } } }',
      ({ pipes }) => sorted(pipes.items.map(({ name, source }: Data) => [name, source.host])),
    ),
    took(3, 1898),
  ),
  byQuery(
    'Which tables or metrics do the tiles of Capacity read?',
    [
      '{ dashboards(filter: { nameContains: "Capacity" }) { tiles { name series { source { name } } } } }',
      ({ dashboards: [{ tiles }] }) =>
        sorted(
          tiles.map(({ name, series }: Data) => [
            name,
            series.map(({ source }: Data) => source?.name),
          ]),
        ),
    ],
    took(3, 925),
  ),
  byQuery(
    'Which services can be reached from every address?',
    organization('services { name ipAccessList { source } }', ({ services }) =>
      named(
        services.filter(({ ipAccessList }: Data) =>
          ipAccessList.some(({ source }: Data) => source === '0.0.0.0/0'),
        ),
      ),
    ),
  ),
  {
    asks: 'Show me what a threshold of 900 would change for API latency, then change it.',
    truth: [
      '{ alerts(filter: { nameContains: "API latency" }) { threshold } }',
      ({ alerts: [{ threshold }] }) => [800, threshold],
    ],
    script: async (call) => {
      const { alerts } = await call('list_alerts', { nameContains: 'API latency' });
      const [{ id, name, dashboard, threshold }] = alerts;
      const names = { confirmName: name, confirmWatchedName: dashboard.name };
      const given = { alertId: id, threshold: 900, ...names };
      await call('update_alert_threshold', { ...given, planOnly: true });
      const { updateAlert } = await call('update_alert_threshold', given);
      return [threshold, updateAlert.alert.threshold];
    },
    before: took(3, 958),
  },
  {
    asks: 'Stop device telemetry, and tell me when it has really stopped.',
    truth: phaseOf('device telemetry'),
    script: async (call) => {
      const { place, names } = await findPipe(call, 'device telemetry');
      await call('stop_pipe', { ...place, ...names });
      const { pipe } = await call('wait_for', { ...place, phaseIn: ['STOPPED'] });
      return pipe.phase;
    },
    before: took(9, 4918),
  },
  {
    asks: 'Start it again, and tell me when it runs.',
    truth: phaseOf('device telemetry'),
    script: async (call) => {
      const { place, names } = await findPipe(call, 'device telemetry');
      await call('start_pipe', { ...place, ...names });
      const { pipe } = await call('wait_for', { ...place, phaseIn: ['RUNNING'] });
      return pipe.phase;
    },
    before: took(4, 1745),
  },
  {
    asks: 'Copy the dashboard Checkout as Checkout 2.',
    truth: [
      '{ dashboards(filter: { nameContains: "Checkout" }) { name tiles { name } } }',
      ({ dashboards }) => sorted(dashboards.map(({ name, tiles }: Data) => [name, named(tiles)])),
    ],
    script: async (call) => {
      const { dashboards } = await call('list_dashboards', { nameContains: 'Checkout' });
      const given = { dashboardId: dashboards[0].id, name: 'Checkout 2' };
      const { plan } = await call('copy_dashboard', given);
      await call('copy_dashboard', { ...given, planId: plan.planId });
      return queried(call, [
        '{ dashboards(filter: { nameContains: "Checkout" }) { name tiles { name } } }',
        ({ dashboards: both }) => sorted(both.map(({ name, tiles }: Data) => [name, named(tiles)])),
      ]);
    },
  },
  {
    asks: 'Tell the channel of the data team when Load by host is above 5.',
    truth: [
      '{ alerts(filter: { nameContains: "Load by host" }) { threshold tile { name } channel { webhook { name } } } }',
      ({ alerts: [{ threshold, tile, channel }] }) => [threshold, tile.name, channel.webhook.name],
    ],
    script: async (call) => {
      const { dashboards, webhooks } = (await queried(call, [
        '{ dashboards(filter: { nameContains: "Capacity" }) { id tiles { id name } } webhooks { id name } }',
        (data) => data,
      ])) as Data;
      const [{ id: dashboardId, tiles }] = dashboards;
      const tile = tiles.find(({ name }: Data) => name === 'Load by host');
      const webhook = webhooks.find(({ name }: Data) => name.startsWith('Channel'));
      const given = {
        ...{ name: 'Load by host', dashboardId, tileId: tile.id, source: 'TILE' },
        ...{ thresholdType: 'ABOVE', threshold: 5, interval: '5m' },
        channel: { type: 'webhook', webhookId: webhook.id },
      };
      const { plan } = await call('create_alert', given);
      const { createAlert } = await call('create_alert', { ...given, planId: plan.planId });
      return [createAlert.alert.threshold, tile.name, webhook.name];
    },
  },
  {
    asks: 'Give production a fourth replica, and no more than four.',
    truth: organization(
      'services(filter: { nameContains: "production" }) { numReplicas }',
      ({ services: [{ numReplicas }] }) => numReplicas,
    ),
    script: async (call) => {
      const { organization } = await call('list_services', { nameContains: 'production' });
      const [{ id: serviceId }] = organization.services;
      const given = { serviceId, numReplicas: 4, atMostReplicas: 4, atMostReplicaMemoryGb: 120 };
      const { plan } = await call('scale_service', given);
      const { updateServiceScaling } = await call('scale_service', {
        ...given,
        planId: plan.planId,
      });
      return updateServiceScaling.service.numReplicas;
    },
  },
];

/** The jobs about a fleet of which the gateway has read nothing yet. */
export const fleetJobs: readonly Job[] = [
  {
    asks: 'How many pipes are there?',
    truth: organization('pipes { totalCount unreadServices { code } }', ({ pipes }) => [
      pipes.totalCount,
      pipes.unreadServices.length,
    ]),
    // Services that are asleep tell nothing of their pipes, so nobody knows the total.
    script: async (call) => {
      const { incomplete, organization } = await whole(call, 'list_pipes');
      return [organization.pipes.items.length, incomplete.unreadServices.SERVICE_NOT_RUNNING];
    },
    before: took(1, 8101),
  },
  {
    asks: 'Which pipes have failed, and in which services?',
    truth: organization(
      'pipes(filter: { phaseIn: [FAILED] }) { items { name service { name } } }',
      ({ pipes }) => sorted(pipes.items.map(pipeOf)),
    ),
    script: async (call) => {
      const { organization } = await whole(call, 'list_pipes', { phaseIn: ['FAILED'] });
      return sorted(organization.pipes.items.map(pipeOf));
    },
    before: took(2, 4947),
  },
  {
    asks: 'Which services are asleep?',
    truth: organization('services(filter: { phaseIn: [IDLE] }) { name }', ({ services }) =>
      named(services),
    ),
    script: async (call) => {
      const { organization } = await call('list_services', { phaseIn: ['IDLE'] });
      return named(organization.services);
    },
    before: took(1, 359),
  },
  {
    asks: 'Which services belong to the team search?',
    truth: organization('services { name tags { value } }', ({ services }) =>
      named(
        services.filter(({ tags }: Data) => tags.some(({ value }: Data) => value === 'search')),
      ),
    ),
    script: async (call) => {
      const { organization } = await call('list_services', { tagIn: ['team=search'] });
      return named(organization.services);
    },
    before: took(26, 29_482),
  },
  {
    asks: 'What did the whole fleet cost last week?',
    truth: organization(
      `usageCost(fromDate: "${week.fromDate}", toDate: "${week.toDate}") { totalChc }`,
      ({ usageCost }) => usageCost.totalChc,
    ),
    script: async (call) => {
      const { organization } = await call('get_cost', { ...week, first: 1 });
      return organization.usageCost.totalChc;
    },
    before: took(1, 8962),
  },
];

export const impossible: readonly Impossible[] = [
  { asks: 'Silence the alert API error rate until tomorrow.', tool: 'get_alert', says: /silenc/i },
  { asks: 'What is the error rate now?', tool: 'get_dashboard', says: /value/i },
  {
    asks: 'How often did API error rate fire last week?',
    tool: 'list_alerts',
    says: /when they fired/i,
  },
  { asks: 'Why has the pipe clickstream (staging) failed?', tool: 'get_pipe', says: /why/i },
];
