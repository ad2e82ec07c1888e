import { Pool } from 'undici';
import { faultOfBody } from '../../support/random/fuzz-answer.ts';
import { createRandom, type Random } from '../../support/random/random.ts';
import { withIds } from '../../support/world/ids.ts';

const organization = withIds('organization-1');
const service = withIds('organizationId: "organization-1", serviceId: "service-1"');

/** What callers ask, each as often as it stands here. */
const documents = [
  '{ alerts { id name } }',
  '{ alert(id: "a1") { name dashboard { name tiles { name } } tile { name } } }',
  '{ dashboards { name tags tiles { name alerts { name } } alerts { name } } }',
  '{ organizations { id name } }',
  `{ organization(id: "${organization}") { name services { name } } }`,
  `{ service(${service}) { name pipes { name } backupConfiguration { backupPeriodInHours } } alerts { name } }`,
  `query Filtered($filter: AlertFilter) { alerts(filter: $filter) { name threshold } }`,
  '{ a: alert(id: "a1") { ...A } b: alert(id: "a2") { ...A } } fragment A on Alert { name ... on Alert { id } }',
  `mutation { updateOrganization(input: {organizationId: "${organization}", name: "n"}) { organization { name } userErrors { message } } }`,
  'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } userErrors { message } } }',
  // Refused before any call.
  '{ alerts { name ',
  '{ nothing }',
  `{ ${'__typename '.repeat(21)} }`,
  'query Needs($id: ID!) { alert(id: $id) { name } }',
] as const;

const variablesOf = (document: string): unknown =>
  document.includes('$filter') ? { filter: { nameContains: 'caller' } } : undefined;

/** A document that nobody has sent before, and so long that the caches soon have to let others go. */
const createNewDocument = () => {
  let made = 0;
  return (): string => {
    made += 1;
    return `query New${made} { alerts { name } } # ${String(made).padEnd(8000, '.')}`;
  };
};

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly callers: number;
  readonly seed: number;
}

/** Callers who ask for more than their limit allows, in percent of all operations. */
const hotCallers = 10;
const hotPercent = 3;

/** What a caller sends: its name stands in both credentials, and in all that it is to find. */
export const credentialsOf = (caller: string) => ({
  'management-authorization': `Basic ${btoa(`${caller}:secret`)}`,
  'observability-authorization': `Bearer ${caller}`,
});

/** What of another caller stands in a text. */
export const foreignIn = (text: string, caller: string): string | undefined => {
  for (const [, name] of text.matchAll(/"name":"(caller-\d+)"/g)) {
    if (name !== caller) return `${caller} got what is ${name}’s`;
  }
  return undefined;
};

/** Everything that is wrong with an answer of the gateway, whatever its upstreams did. */
const faultOf = (status: number, text: string, caller: string): string | undefined => {
  if (status >= 500) return `status ${status}: ${text}`;
  const fault = faultOfBody(JSON.parse(text));
  return fault === undefined ? foreignIn(text, caller) : `${fault}: ${text}`;
};

/** Sends operations of many callers over a few connections, and looks at every answer. */
export const createLoad = ({ url, connections, callers, seed }: LoadOptions) => {
  const random = createRandom(seed);
  const newDocument = createNewDocument();
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const counts = { operations: 0, data: 0, errors: 0, left: 0, codes: new Map<string, number>() };
  const faults: string[] = [];

  const count = (text: string): void => {
    counts[text.includes('"errors":') ? 'errors' : 'data'] += 1;
    for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) {
      counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
    }
  };

  const requestOf = (draw: Random, caller: string) => {
    const query = draw.chance(5) ? newDocument() : draw.pick(documents);
    const variables = variablesOf(query);
    const headers = credentialsOf(caller);
    if (draw.chance(10) && !query.startsWith('mutation')) {
      const search = new URLSearchParams({ query, variables: JSON.stringify(variables ?? {}) });
      return { method: 'GET', path: `${pathname}?${search}`, headers } as const;
    }
    const accept = draw.chance(10) ? 'application/graphql-response+json' : 'application/json';
    return {
      method: 'POST',
      path: pathname,
      headers: { ...headers, 'content-type': 'application/json', accept },
      body: JSON.stringify({ query, variables }),
    } as const;
  };

  const sendOne = async (): Promise<void> => {
    counts.operations += 1;
    const caller = `caller-${random.below(random.chance(hotPercent) ? hotCallers : callers)}`;
    const request = requestOf(random, caller);
    const leaving = random.chance(1) ? new AbortController() : undefined;
    try {
      const answering = pool.request({ ...request, signal: leaving?.signal ?? null });
      if (leaving) setTimeout(() => leaving.abort(), random.below(5));
      const { statusCode, body } = await answering;
      const text = await body.text();
      count(text);
      const fault = faultOf(statusCode, text, caller);
      if (fault !== undefined) faults.push(fault.slice(0, 1000));
    } catch (error) {
      if (leaving) counts.left += 1;
      else faults.push(String(error));
    }
  };

  return {
    counts,
    faults,
    /** Sends so many operations, and resolves when none of them is under way. */
    send: async (operations: number): Promise<void> => {
      let left = operations;
      const work = async (): Promise<void> => {
        while (left > 0 && faults.length < 10) {
          left -= 1;
          await sendOne();
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
    },
    close: () => pool.close(),
  };
};
