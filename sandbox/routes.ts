/** What a handler gets: who calls, the identifiers of the path byte for byte, the query, and the JSON body. */
export type Call<Caller, Name extends string = string> = {
  readonly caller: Caller;
  readonly ids: Readonly<Record<Name, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; `{}` where the request has none. */
  readonly body: unknown;
};

/** The methods that a route may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A row of a route table. What the handler returns is the payload; a failure is a thrown Refusal. */
export type Route<Caller> = {
  readonly method: Method;
  /** As the reference writes it, with `{names}` for identifiers. */
  readonly path: string;
  readonly handle: (call: Call<Caller>) => unknown;
};

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Makes the function that writes rows for one kind of caller; a handler sees only the identifiers of its path. */
export const routeFor =
  <Caller>() =>
  <Path extends string>(
    method: Method,
    path: Path,
    handle: (call: Call<Caller, NamesIn<Path>>) => unknown,
  ): Route<Caller> => ({
    method,
    path,
    // findRoute hands over exactly the names that the path carries.
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

/** The row for a request and its path's identifiers. Nothing is decoded or normalised: `%2e` is three characters. */
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
