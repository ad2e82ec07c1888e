import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import { broken } from '../../rules.ts';
import { readChannels, readLinks, readOwnMembers } from '../observability/alert-body.ts';
import { find } from '../observability/state.ts';
import { type StackAlert, stackAlertShape } from './alert-shapes.ts';
import { type ClickStack, type ClickStacks, listed, route } from './state.ts';

const readBody = (body: unknown, stack: ClickStack) => {
  const given = stackAlertShape(body, '');
  const { source = 'saved_search', chartConfig, tags = [] } = given;
  const { channels } = readChannels(given);
  const { evaluationDelaySeconds: delay } = given;
  if (source === 'inline' && chartConfig === undefined) throw broken('chartConfig', 'is required');
  for (const channel of channels) {
    if (channel.type === 'webhook' && !stack.webhooks.has(channel.webhookId)) {
      throw new Refusal(400, 'Webhook not found');
    }
  }
  return {
    ...readOwnMembers(given),
    ...(source === 'inline' ? { source, chartConfig } : readLinks({ ...given, source }, stack)),
    ...{ channels, tags },
    ...(delay !== undefined && { evaluationDelaySeconds: delay }),
  };
};

const absent = {
  ...{ dashboardId: null, tileId: null, savedSearchId: null, silenced: null },
  ...{ thresholdMax: null, scheduleOffsetMinutes: null, scheduleStartAt: null },
  evaluationDelaySeconds: null,
};

const inList = ({ chartConfig: _, ...alert }: StackAlert, { webhooks }: ClickStack) => {
  const channels = alert.channels.map((channel) =>
    channel.type === 'email'
      ? channel
      : {
          ...{ slackChannelId: null, severity: null },
          ...channel,
          webhookService: webhooks.get(channel.webhookId)?.service ?? null,
        },
  );
  return { ...absent, ...alert, channel: channels[0], channels };
};

const alone = (alert: StackAlert, stack: ClickStack) => ({
  ...inList(alert, stack),
  chartConfig: alert.chartConfig ?? null,
});

/** The operations on alerts. */
export const alertRoutes = ({ clock, sequence }: ClickStacks): readonly Route<ClickStack>[] => [
  route('GET', '/alerts', (call) =>
    listed(
      call,
      [...call.caller.alerts.values()].map((alert) => inList(alert, call.caller)),
    ),
  ),

  route('GET', '/alerts/{id}', ({ caller, ids }) =>
    alone(find(caller.alerts, ids.id, 'Alert'), caller),
  ),

  route('POST', '/alerts', ({ caller, body }) => {
    const now = clock().toISOString();
    const alert: StackAlert = {
      id: sequence.objectId(),
      ...readBody(body, caller),
      ...{ state: 'OK', teamId: caller.team, executionErrors: [], createdAt: now, updatedAt: now },
    };
    caller.alerts.set(alert.id, alert);
    return alone(alert, caller);
  }),

  // Replaces everything that a body can have, but for the schedule and the second threshold.
  route('PUT', '/alerts/{id}', ({ caller, ids, body }) => {
    const old = find(caller.alerts, ids.id, 'Alert');
    const { dashboardId: _, tileId: __, savedSearchId: ___, chartConfig: ____, ...rest } = old;
    const { evaluationDelaySeconds: _____, ...kept } = rest;
    const alert = { ...kept, ...readBody(body, caller), updatedAt: clock().toISOString() };
    caller.alerts.set(alert.id, alert);
    return alone(alert, caller);
  }),

  route('DELETE', '/alerts/{id}', ({ caller: { alerts }, ids }) => {
    alerts.delete(find(alerts, ids.id, 'Alert').id);
  }),
];
