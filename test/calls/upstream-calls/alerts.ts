import { numbers } from '../../support/world/worlds.ts';
import type { OperationGroup } from './case.ts';

const twentyAliases = numbers(20)
  .map((number) => `  a${number}: alert(id: "alert-${((number - 1) % 10) + 1}") { name }`)
  .join('\n');

export const alerts: OperationGroup = {
  title: 'Dashboards and alerts',
  cases: [
    {
      title: 'What an alert points to, by identifiers',
      operation: `{
  alert(id: "alert-1") {
    dashboard { id }
    tile { id dashboardId }
  }
}`,
      calls: ['GET /api/v2/alerts/alert-1'],
      rounds: 1,
      bound:
        'Only the alert says what it points to. Its dashboard and tile need not be read for that.',
    },
    {
      title: "The name of an alert's dashboard",
      operation: `{
  alert(id: "alert-1") {
    dashboard { name }
  }
}`,
      calls: ['GET /api/v2/alerts/alert-1', 'GET /api/v2/dashboards/dashboard-1'],
      rounds: 2,
      bound:
        'Only the alert says which dashboard it belongs to, and only the dashboard has its name.',
    },
    {
      title: 'An alert with dashboard and tile',
      operation: `{
  alert(id: "alert-1") {
    name
    dashboard { name }
    tile { name }
  }
}`,
      calls: ['GET /api/v2/alerts/alert-1', 'GET /api/v2/dashboards/dashboard-1'],
      rounds: 2,
      bound:
        'Only the alert says which dashboard it belongs to. The dashboard comes with its tiles, so it has both names.',
    },
    {
      title: '100 alerts over 10 dashboards',
      operation: `{
  alerts {
    name
    dashboard {
      name
      tiles { name }
    }
  }
}`,
      calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards'],
      rounds: 2,
      bound:
        'No operation answers two kinds of things together. Only the alerts say whether any of them has a dashboard.',
    },
    {
      title: '20 aliases over 10 alerts',
      operation: `{\n${twentyAliases}\n}`,
      calls: ['GET /api/v2/alerts'],
      rounds: 1,
      bound: 'The one list answers all of them, and without a call none is known.',
    },
    {
      title: 'Alerts under several filters',
      operation: `{
  first: alerts(filter: { dashboardId: "dashboard-1" }) { name }
  above: alerts(filter: { thresholdType: ABOVE, nameContains: "9" }) { name }
  firing: alerts(filter: { phaseIn: [FIRING] }) { name }
  all: alerts { id }
}`,
      calls: ['GET /api/v2/alerts'],
      rounds: 1,
      bound:
        'The upstream has no filter: it sends the list whole, once, and the gateway filters it.',
    },
    {
      title: 'Dashboards, their tiles and the alerts of each tile',
      operation: `{
  dashboards {
    name
    tiles {
      name
      alerts { name }
    }
    alerts { name }
  }
}`,
      calls: ['GET /api/v2/dashboards', 'GET /api/v2/alerts'],
      rounds: 2,
      bound:
        'No operation answers two kinds of things together. Only the dashboards say whether there is a tile. If there is none, the alerts are not read.',
    },
    {
      title: 'One dashboard with its alerts',
      operation: `{
  dashboard(id: "dashboard-1") {
    name
    tiles { name }
    alerts { name }
  }
}`,
      calls: ['GET /api/v2/dashboards/dashboard-1', 'GET /api/v2/alerts'],
      rounds: 1,
      bound:
        'No operation answers two kinds of things together. The identifier is enough to find the alerts, so they do not wait for the dashboard.',
    },
    {
      title: 'Only the alerts of a dashboard',
      operation: `{
  dashboard(id: "dashboard-1") {
    alerts { name }
  }
}`,
      calls: ['GET /api/v2/alerts'],
      rounds: 1,
      bound:
        'Only the alerts say which dashboard they belong to. The dashboard itself is not read.',
    },
    {
      title: 'Both lists, linked',
      operation: `{
  alerts { name dashboard { name } }
  dashboards { name alerts { name } }
}`,
      calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards'],
      rounds: 1,
      bound:
        'No operation answers two kinds of things together. The relations are answered from the same two lists.',
    },
    {
      title: 'Several dashboards by their identifiers',
      operation: `{
  first: dashboard(id: "dashboard-1") { name }
  second: dashboard(id: "dashboard-2") { tiles { name } }
}`,
      calls: ['GET /api/v2/dashboards'],
      rounds: 1,
      bound: 'The one list answers both, and without a call neither is known.',
    },
  ],
};
