import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { type SandboxOptions, startSandbox } from '../../sandbox/server.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';

const { main, second } = world.management;
const { main: team, second: otherTeam } = world.observability;
const organization = `/v1/organizations/${main.organizationId}`;
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** What `$name` stands for in a step: paths, identifiers of the demo, and hashes. */
export const names = {
  organization,
  keys: `${organization}/keys`,
  production: `${organization}/services/${main.services.production}`,
  reporting: `${organization}/services/${main.services.reporting}`,
  staging: `${organization}/services/${main.services.staging}`,
  trial: `${organization}/services/${main.services.trial}`,
  foreignOrganization: `/v1/organizations/${second.organizationId}`,
  foreignService: `${organization}/services/${second.services.production}`,
  pipes: `${organization}/services/${main.services.production}/pipes`,
  clickpipes: `${organization}/services/${main.services.production}/clickpipes`,
  alerts: '/api/v2/alerts',
  boards: '/api/v2/dashboards',
  developerKey: main.keys.developer,
  foreignKey: second.keys.admin,
  foreignDashboard: otherTeam.dashboards.meters,
  foreignWebhook: otherTeam.webhooks.oncall,
  savedSearch: team.savedSearchId,
  ...{ ...main.pipes, ...team.dashboards, ...team.tiles, ...team.alerts, ...team.webhooks },
  ...{ ...liveWorld.pipes, ...liveWorld.sources, ...liveWorld.alerts },
  foreignSource: liveWorld.secondSources.metrics,
  adminRole: liveWorld.roles.admin,
  hashOfId: digestOf('my-id'),
  hashOfSecret: digestOf('my-secret'),
  none: undefined,
};

const { failing, management, observability } = credentials;
/** The header of a caller of the demo, of `id:secret`, of any other words with _ for a space, or none of nobody. */
export const headerOf = (who: string, isManaged: boolean): string => {
  const known: Readonly<Record<string, { readonly header: string }>> = isManaged
    ? { ...management, ...failing.management }
    : { ...observability, ...failing.observability };
  const words = who.includes(':') ? `Basic ${btoa(who)}` : who.replace('_', ' ');
  return known[who]?.header ?? words.replace('nobody', '');
};

/** The stories in a text: a title with the kind of sandbox in brackets, and indented below it the steps. */
export const storiesOf = (text: string) =>
  text
    .trim()
    .split(/\n(?=\S)/)
    .map((story) => {
      const [, title = '', kind = '', steps = ''] = /^(.*) \((\w+)\)\n(.*)$/s.exec(story) ?? [];
      const options = kinds[kind];
      if (!options) throw new Error(`no kind of sandbox: ${title}`);
      return [title, options, steps] as const;
    });

const kinds: Readonly<Record<string, SandboxOptions>> = {
  ...{ reference: {}, documented: { extendedReads: false } },
  ...{ live: { profile: 'live' }, limited: { limits: true } },
};

const parsed = (text: string): unknown => JSON.parse(text.replace(/^[?$]\w+$/, '"$&"'));

/**
 * A sandbox for one test, by default without limits, whose clock only moves in steps that wait.
 *
 * A step, which may continue in further lines, is `wait <milliseconds>`, or
 * `[<times>x ]<METHOD> <path> [as <who>] [<body>] -> <status> [<expectation> & …]`. `?name` gives a part of the answer a name,
 * `$name` is that part, and `!name` another text. `"..."` in an object stands for the members of another object. An expectation
 * is JSON that the answer has among other members, `= <JSON>` for all members, `<number> items`, `~ <words>` in the text of the
 * answer, or `<header>: <value>`.
 */
export const startStory = async (options: SandboxOptions = {}) => {
  let now = Date.parse('2026-11-21T12:00:00.000Z');
  const sandbox = await startSandbox({
    ...{ limits: false, clock: () => new Date(now), transitionMs: 1000 },
    ...options,
  });
  onTestFinished(() => sandbox.close());

  const known: Record<string, unknown> = { ...names };
  const named = (name: string): unknown => {
    if (!(name in known)) throw new Error(`nothing is named ${name}`);
    return known[name];
  };
  const inText = (text: string): string =>
    text.replace(/\$(\w+)/g, (_, name: string) => String(named(name)));
  /** A value with what its names stand for, and the part of the answer that is in its place. */
  const filled = (value: unknown, answer?: unknown): unknown => {
    if (typeof value === 'string') {
      const [, sign, name = ''] = /^([?$!])(\w+)$/.exec(value) ?? [];
      if (sign === '?') known[name] = answer;
      if (sign === '!') return expect.not.stringContaining(String(named(name)));
      return sign ? named(name) : value;
    }
    if (typeof value !== 'object' || value === null) return value;
    const within = Object(answer) as Readonly<Record<string, unknown>>;
    if (Array.isArray(value)) return value.map((item, at) => filled(item, within[at]));
    const { '...': others, ...members } = value as Readonly<Record<string, unknown>>;
    const own = Object.keys(members).map((name) => [name, filled(members[name], within[name])]);
    return { ...Object(filled(others)), ...Object.fromEntries(own) };
  };

  /** Sends a request with this path, byte for byte; a text is a body as it is, and no header '' is sent. */
  const ask = async (method: string, path: string, body?: unknown, authorization?: string) => {
    const isManaged = !path.startsWith('/api');
    const header = authorization ?? (isManaged ? management.admin : observability.main).header;
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
  type Reply = Awaited<ReturnType<typeof ask>>;

  const check = (step: string, expectation: string, { headers, text, value }: Reply): void => {
    const [, header = '', expected] = /^([a-z-]+): (.*)$/.exec(expectation) ?? [];
    const [, count] = /^(\d+) items$/.exec(expectation) ?? [];
    if (header) expect([step, headers[header] ?? 'none']).toEqual([step, expected]);
    else if (count) expect(value, step).toHaveLength(Number(count));
    else if (expectation.startsWith('~ ')) expect(text, step).toContain(expectation.slice(2));
    else if (expectation.startsWith('= ')) {
      expect([step, value]).toEqual([step, filled(parsed(expectation.slice(2)), value)]);
    } else expect([step, value]).toMatchObject([step, filled(parsed(expectation), value)]);
  };

  /** Carries out the steps, a line each, and returns the texts of the answers. */
  const run = async (steps: string): Promise<string> => {
    const texts: string[] = [];
    for (const each of steps.trim().split(/\n\s*(?=wait |\d+x |[A-Z]{3,} )/)) {
      const step = each.replaceAll(/\n\s*/g, ' ');
      const [, wait] = /^wait (\d+)$/.exec(step) ?? [];
      now += Number(wait ?? 0);
      if (wait !== undefined) continue;
      const [asked = '', outcome = ''] = step.split(' -> ');
      const [, times = '1', method = '', path = '', who, body] =
        /^(?:(\d+)x )?([A-Z]+) (\S+)(?: as (\S+))?(?: (.*))?$/.exec(asked) ?? [];
      const [, status, expectations] = /^(\d+) ?(.*)$/.exec(outcome) ?? [];
      for (let index = 0; index < Number(times); index += 1) {
        const to = inText(path);
        const header = who && headerOf(inText(who), !to.startsWith('/api'));
        const sent = body && filled(parsed(body));
        const reply = await ask(method, to, sent || undefined, header);
        texts.push(reply.text);
        expect([step, reply.status, reply.text]).toEqual([step, Number(status), reply.text]);
        for (const one of expectations?.split(' & ') ?? []) if (one) check(step, one, reply);
      }
    }
    return texts.join('\n');
  };
  return { sandbox, ask, run, inText };
};
