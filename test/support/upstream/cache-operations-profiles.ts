import { type Does, things, type Write } from './cache-operations.ts';

const { s1, p1, d1, a1 } = things;

/** The reads that some profiles alone have. */
export const profileReads: Readonly<Record<string, Does>> = {
  getPipeSettings: ({ management }) => management.getPipeSettings(p1),
  listDataSources: ({ observability }) => observability.listDataSources(),
  listWebhooks: ({ observability }) => observability.listWebhooks(),
  listSavedSearches: ({ observability }) => observability.listSavedSearches(),
};

/** The writes that some profiles alone have. */
export const profileWrites: readonly Omit<Write, 'upstream'>[] = [
  {
    name: 'scalePipe',
    does: ({ management }) => management.scalePipe(p1, { replicas: 2 }),
    drops: ['listPipes s1', 'getPipe p1'],
  },
  {
    name: 'deletePipe',
    does: ({ management }) => management.deletePipe(p1),
    drops: ['listPipes s1', 'getPipe p1', 'getPipeSettings'],
  },
  {
    name: 'replacePipeSettings',
    does: ({ management }) => management.replacePipeSettings(p1, { engine_max_threads: 2 }),
    drops: ['listPipes s1', 'getPipe p1', 'getPipeSettings'],
  },
  {
    name: 'updateServiceState',
    does: ({ management }) => management.updateServiceState(s1, 'stop'),
    drops: [
      ...['listServices o1', 'getService s1', 'listPipes s1', 'getPipe p1', 'getPipe p2'],
      'getPipeSettings',
    ],
  },
  {
    name: 'replaceDashboard',
    does: ({ observability }) => observability.replaceDashboard(d1, { name: 'new' }),
    drops: ['listDashboards', 'getDashboard d1', 'listAlerts', 'getAlert a1', 'getAlert a2'],
  },
  {
    name: 'createAlert',
    does: ({ observability }) => observability.createAlert({ name: 'new' }),
    drops: ['listAlerts'],
  },
  {
    name: 'deleteAlert',
    does: ({ observability }) => observability.deleteAlert(a1),
    drops: ['listAlerts', 'getAlert a1'],
  },
];
