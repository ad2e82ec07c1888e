import { type Answering, type Call, result } from '../harness.ts';

/** On a test's own clock too, unlike that of `node:timers/promises`. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** As both interfaces document it. */
export const rate = { calls: 10, windowMs: 10_000 };

const authorization = 'Basic a2V5LWlkOmtleS1zZWNyZXQ=';

export const count = <Item>(length: number, create: (index: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, index) => create(index));

const id = (kind: number, number: number): string =>
  `5b1f0000-0000-4000-8${String(kind).padStart(3, '0')}-${String(number).padStart(12, '0')}`;

const organization = `/v1/organizations/${id(0, 0)}`;
/** The paths of a service that no page shows. */
export const servicePath = (number: number): string =>
  `${organization}/services/${id(1, 1000 + number)}`;

/** An organization's services, each with one pipe. Pages need a read more than it has services, and one for the list. */
export const createOrganization = (services: number) => {
  let state = 'Running';
  const answering: Answering = ({ method, path }) => {
    if (method !== 'GET') return result({ id: path.split('/')[7] ?? '', state: 'Stopping' });
    if (path === organization) return result({ id: id(0, 0), name: 'organization' });
    if (path.endsWith('/services')) {
      return result(count(services, (each) => ({ id: id(1, each), name: `service ${each}` })));
    }
    if (path.endsWith('/pipes')) return result([{ id: id(2, 0), name: 'pipe', state: 'Running' }]);
    return result({ id: path.split('/').at(-1), name: 'thing', state });
  };
  return {
    answering,
    /** What single pipes are in from now on. */
    become: (next: string): void => {
      state = next;
    },
  };
};

export const page = `{ organization(organizationId: "${id(0, 0)}") { name services { name pipes { state } } } }`;

const pipe = (number: number): string =>
  `organizationId: "${id(0, 0)}", serviceId: "${id(1, 0)}", pipeId: "${id(3, number)}"`;
export const watchPipe = `subscription { pipe(${pipe(1_000_000)}) { state } }`;

/** `METHOD /path` of the writes among these calls, sorted. */
export const writesAmong = (calls: readonly Call[]): readonly string[] =>
  calls
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
    .sort();

/** Does something every few milliseconds until it is over, but never twice at a time. */
export const repeat = async <Result>(
  everyMs: number,
  isOver: () => boolean,
  act: (turn: number) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  while (!isOver()) {
    const next = performance.now() + everyMs;
    results.push(await act(results.length));
    await pause(Math.max(0, next - performance.now()));
  }
  return results;
};

/** Tells whether this time has passed. */
export const overIn = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() >= end;
};

/** A page, a write, or a call as a tool gets it. */
export interface Seen {
  readonly status: number;
  readonly errors: number;
  readonly seconds: number;
  readonly retryAfter: number;
}

/** People and tools with one key; `nextUrl` is where each request goes. */
export const createCallers = (nextUrl: () => string) => {
  const send = async (
    url: string,
    init: RequestInit,
  ): Promise<Seen & { readonly text: string }> => {
    const began = performance.now();
    const own = {
      'content-type': 'application/json',
      ...Object.fromEntries(new Headers(init.headers)),
    };
    const response = await fetch(url, { ...init, headers: own });
    const text = await response.text();
    return {
      ...{ status: response.status, text, errors: 0 },
      seconds: (performance.now() - began) / 1000,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    };
  };
  const ask = async (query: string): Promise<Seen> => {
    const headers = { 'management-authorization': authorization };
    const seen = await send(nextUrl(), {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return { ...seen, errors: JSON.parse(seen.text).errors?.length ?? 0 };
  };
  const call = (method: string, target: string, body?: string): Promise<Seen> =>
    send(new URL(`/management${target}`, nextUrl()).href, {
      ...{ method, headers: { authorization } },
      ...(body !== undefined && { body }),
    });
  return {
    /** A viewer who refreshes the page every 5 s. */
    view: (isOver: () => boolean) => repeat(5000, isOver, () => ask(page)),
    /** A person who stops another pipe every 20 s. */
    write: (isOver: () => boolean) =>
      repeat(20_000, isOver, (turn) =>
        ask(
          `mutation { stopPipe(input: { ${pipe(turn)} }) { pipe { id } userErrors { message } } }`,
        ),
      ),
    call,
    /** Terraform's way: ten calls at a time, and each is repeated after the given time as long as it was not sent. */
    inParallel: async (
      calls: readonly (readonly [method: string, target: string, body?: string])[],
    ) => {
      const waiting = [...calls];
      const all: Seen[] = [];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          let seen = await call(...next);
          all.push(seen);
          while (seen.retryAfter > 0) {
            await pause(seen.retryAfter * 1000);
            seen = await call(...next);
            all.push(seen);
          }
        }
      };
      const began = performance.now();
      await Promise.all(count(10, work));
      return { all, seconds: (performance.now() - began) / 1000 };
    },
  };
};

/** What the GraphQL writes of a writer are upstream. */
export const pipeWrites = (length: number): readonly string[] =>
  count(
    length,
    (turn) => `PATCH ${organization}/services/${id(1, 0)}/pipes/${id(3, turn)}/state`,
  ).toSorted();

/** The share of the pages that were whole. */
export const wholeShare = (views: readonly Seen[]): number =>
  views.filter(({ status, errors }) => status === 200 && errors === 0).length / views.length;

export const slowestOf = (all: readonly Seen[]): number =>
  Math.max(...all.map(({ seconds }) => seconds));
