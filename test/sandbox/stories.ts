import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { type SandboxOptions, startSandbox } from '../../sandbox/server.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';

const { main, second } = world.management;
const { main: team, second: otherTeam } = world.observability;
const organization = `/v1/organizations/${main.organizationId}`;
const serviceOf = (id: string): string => `${organization}/services/${id}`;

/** Paths of the demo. */
export const paths = {
  organization,
  keys: `${organization}/keys`,
  production: serviceOf(main.services.production),
  staging: serviceOf(main.services.staging),
  trial: serviceOf(main.services.trial),
  foreignService: serviceOf(second.services.production),
  pipes: `${serviceOf(main.services.production)}/pipes`,
  clickpipes: `${serviceOf(main.services.production)}/clickpipes`,
  alerts: '/api/v2/alerts',
  boards: '/api/v2/dashboards',
};

/** Identifiers of the demo. */
export const ids = {
  developerKey: main.keys.developer,
  foreignKey: second.keys.admin,
  foreignDashboard: otherTeam.dashboards.meters,
  foreignWebhook: otherTeam.webhooks.oncall,
  savedSearch: team.savedSearchId,
  ...{ ...main.pipes, ...team.dashboards, ...team.tiles, ...team.alerts, ...team.webhooks },
  ...{ ...liveWorld.pipes, ...liveWorld.sources, ...liveWorld.alerts },
  foreignSource: liveWorld.secondSources.metrics,
  adminRole: liveWorld.roles.admin,
};

const { failing, management, observability } = credentials;
type Known = Readonly<Record<string, { readonly header: string }>>;
/** The header of a caller of the demo, or of `id:secret`; any other text is a header. */
export const headerOf = (who: string, path: string): string => {
  const known: Known = path.startsWith('/api')
    ? { ...observability, ...failing.observability }
    : { ...management, ...failing.management };
  return known[who]?.header ?? (who.includes(':') ? `Basic ${btoa(who)}` : who);
};

interface Sent {
  /** As `headerOf` takes it; by default the main credential of the demo, and no header if it is empty. */
  readonly as?: string;
  readonly status?: number;
}
export type Value = Readonly<Record<string, unknown>>;

/** A sandbox for one test, by default without limits, whose clock only moves by `wait`. */
export const startStory = async (options: SandboxOptions = {}) => {
  let now = Date.parse('2026-11-21T12:00:00.000Z');
  const sandbox = await startSandbox({
    ...{ limits: false, clock: () => new Date(now), transitionMs: 1000 },
    ...options,
  });
  onTestFinished(() => sandbox.close());

  /** Sends a request with this path, byte for byte; a text is a body as it is. */
  const ask = async (method: string, path: string, body?: unknown, as?: string) => {
    const isManaged = !path.startsWith('/api');
    const header = headerOf(as ?? (isManaged ? 'admin' : 'main'), path);
    const headers = {
      ...(header !== '' && { authorization: header }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const origin = isManaged ? sandbox.managementUrl : sandbox.observabilityUrl;
    const sent = request(origin, { method, path, headers, agent: false });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject);
      sent.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const chunks: Buffer[] = [];
    // A broken answer emits an error, and is not complete.
    response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    await new Promise((done) => response.on('close', done));
    const text = Buffer.concat(chunks).toString('utf8');
    const { statusCode: status, complete: isWhole } = response;
    const isJson = response.headers['content-type'] === 'application/json; charset=utf-8';
    const whole = isJson && isWhole ? JSON.parse(text) : text;
    const value: unknown = whole.result ?? whole.data ?? whole.error ?? whole.message ?? whole;
    return { status, headers: response.headers, text, isWhole, whole, value };
  };
  /** Sends a request that is answered with this status; → the value in its envelope. */
  const send = async <V>(method: string, path: string, body: unknown, sent: Sent = {}) => {
    const { status, text, value } = await ask(method, path, body, sent.as);
    expect([method, path, status, text]).toEqual([method, path, sent.status ?? 200, text]);
    return value as V;
  };
  return {
    sandbox,
    ask,
    get: <V = Value>(path: string, sent?: Sent) => send<V>('GET', path, undefined, sent),
    remove: (path: string, sent?: Sent) => send('DELETE', path, undefined, sent),
    post: <V = Value>(path: string, body: unknown, sent?: Sent) =>
      send<V>('POST', path, body, sent),
    patch: <V = Value>(path: string, body: unknown, sent?: Sent) =>
      send<V>('PATCH', path, body, sent),
    put: <V = Value>(path: string, body: unknown, sent?: Sent) => send<V>('PUT', path, body, sent),
    wait: (milliseconds: number): void => {
      now += milliseconds;
    },
  };
};
