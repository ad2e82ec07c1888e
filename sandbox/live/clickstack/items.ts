import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import { anything, list, object, oneOf, type Reader, text } from '../../rules.ts';
import { objectId } from '../observability/object-id.ts';
import { find } from '../observability/state.ts';
import { type ClickStack, type ClickStacks, type Item, listed, route } from './state.ts';

type Subject = {
  /** As in paths. */
  readonly path: string;
  /** As in sentences. */
  readonly name: string;
  readonly of: (stack: ClickStack) => Map<string, Item>;
  readonly body: Reader<object>;
  /** The values of members that a body omits. */
  readonly absent: object;
  /** Refuses what does not fit the rest of the ClickStack. */
  readonly check?: (item: Item, stack: ClickStack) => void;
  readonly checkDelete?: (id: string, stack: ClickStack) => void;
};

const sources: Subject = {
  path: '/sources',
  name: 'Source',
  of: (stack) => stack.sources,
  body: object(
    {
      name: text,
      kind: oneOf('log', 'trace', 'metric', 'session', 'promql'),
      connection: objectId,
      from: object({ databaseName: text, tableName: text }, {}),
    },
    { timestampValueExpression: text, filterSettings: anything },
  ),
  absent: { timestampValueExpression: null, filterSettings: null },
};

const webhooks: Subject = {
  path: '/webhooks',
  name: 'Webhook',
  of: (stack) => stack.webhooks,
  body: object(
    {
      name: text,
      service: oneOf('slack', 'slack_api', 'incidentio', 'generic', 'pagerduty_api'),
    },
    { url: text, description: text, body: text },
    { headers: anything, queryParams: anything },
  ),
  absent: { url: null, description: null, body: null },
  checkDelete: (id, { alerts }) => {
    const isUsed = [...alerts.values()]
      .flatMap(({ channels }) => channels)
      .some((channel) => channel.type === 'webhook' && channel.webhookId === id);
    if (isUsed) throw new Refusal(409, 'an alert uses the webhook');
  },
};

const savedSearches: Subject = {
  path: '/saved-searches',
  name: 'Saved search',
  of: (stack) => stack.savedSearches,
  body: object(
    { name: text, sourceId: objectId },
    {
      ...{ select: text, where: text, orderBy: text },
      ...{ whereLanguage: oneOf('lucene', 'sql'), tags: list(text), filters: list(anything) },
    },
  ),
  absent: { select: '', where: '', whereLanguage: 'lucene', orderBy: null, tags: [], filters: [] },
  check: ({ sourceId }, stack) => {
    if (!stack.sources.has(String(sourceId))) throw new Refusal(400, 'Source not found');
  },
};

const roles: Subject = {
  path: '/roles',
  name: 'Role',
  of: (stack) => stack.roles,
  body: object({ name: text }, { description: text, permissions: list(text) }),
  absent: { description: null, permissions: [] },
};

const routesOf = (
  { path, name, of, body: read, absent, check, checkDelete }: Subject,
  { clock, sequence }: ClickStacks,
): readonly Route<ClickStack>[] => {
  const shown = (item: Item): Item => ({ ...absent, ...item });
  const save = (stack: ClickStack, id: string, createdAt: unknown, body: unknown): Item => {
    const updatedAt = clock().toISOString();
    const item = { id, ...read(body, ''), createdAt: createdAt ?? updatedAt, updatedAt };
    check?.(item, stack);
    of(stack).set(id, item);
    return shown(item);
  };
  const known = (stack: ClickStack, id: string): Item => find(of(stack), id, name);
  return [
    route('GET', path, (call) => listed(call, [...of(call.caller).values()].map(shown))),

    route('GET', `${path}/{id}`, ({ caller, ids }) => shown(known(caller, ids.id))),

    route('POST', path, ({ caller, body }) => save(caller, sequence.objectId(), undefined, body)),

    route('PUT', `${path}/{id}`, ({ caller, ids, body }) => {
      const { id, createdAt } = known(caller, ids.id);
      return save(caller, id, createdAt, body);
    }),

    route('DELETE', `${path}/{id}`, ({ caller, ids }) => {
      const { id } = known(caller, ids.id);
      checkDelete?.(id, caller);
      of(caller).delete(id);
    }),
  ];
};

/** The operations on sources, webhooks, saved searches and roles. A webhook has no GET. */
export const itemRoutes = (stacks: ClickStacks): readonly Route<ClickStack>[] =>
  [sources, webhooks, savedSearches, roles]
    .flatMap((subject) => routesOf(subject, stacks))
    .filter(({ method, path }) => method !== 'GET' || path !== '/webhooks/{id}');
