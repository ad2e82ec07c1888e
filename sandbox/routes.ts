/** The input of a handler: the caller, the identifiers of the path without decoding, the query, and the JSON body. */
export type Call<Caller, Name extends string = string> = {
  readonly caller: Caller;
  readonly ids: Readonly<Record<Name, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; `{}` if the request has none. */
  readonly body: unknown;
};

/** The methods that a route may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A row of a route table. The handler returns the payload, or throws a Refusal for a failure. */
export type Route<Caller> = {
  readonly method: Method;
  /** As documented, with `{names}` for identifiers. */
  readonly path: string;
  readonly handle: (call: Call<Caller>) => unknown;
};

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Makes a route; its handler sees only the identifiers of its path. */
export type MakeRoute<Caller> = <Path extends string>(
  method: Method,
  path: Path,
  handle: (call: Call<Caller, NamesIn<Path>>) => unknown,
) => Route<Caller>;

/** Makes the function that makes routes for one kind of caller. */
export const routeFor =
  <Caller>(): MakeRoute<Caller> =>
  (method, path, handle) => ({
    method,
    path,
    // findRoute returns exactly the names that the path has.
    handle: handle as (call: Call<Caller>) => unknown,
  });

const match = (template: string, path: string): Record<string, string> | undefined => {
  const names = template.split('/');
  const segments = path.split('/');
  if (names.length !== segments.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? '';
    if (name.startsWith('{') && segment !== '') ids[name.slice(1, -1)] = segment;
    else if (name !== segment) return undefined;
  }
  return ids;
};

/**
 * The route for a request, with the identifiers of its path. Nothing is decoded or normalised: `%2e` is three characters.
 */
export const findRoute = <Caller>(
  routes: readonly Route<Caller>[],
  method: string | undefined,
  path: string,
):
  | { readonly route: Route<Caller>; readonly ids: Readonly<Record<string, string>> }
  | undefined => {
  for (const route of routes) {
    const ids = route.method === method ? match(route.path, path) : undefined;
    if (ids) return { route, ids };
  }
  return undefined;
};
