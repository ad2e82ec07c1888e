/** The value of each path parameter that is not under test. */
export const good = {
  o: '0a9a0000-0000-4000-8000-00000000000e',
  s: '5e4c0000-0000-4000-8000-00000000000a',
  p: '919e0000-0000-4000-8000-00000000000f',
  d: 'da5b0000000000000000000a',
  a: 'a1e40000000000000000000e',
} as const;

export type Parameter = keyof typeof good;
export type Ids = Readonly<Record<Parameter, string>>;

/** A field with variables such as `$o` for its identifiers, and its documented calls. */
interface Way {
  readonly field: string;
  readonly calls: readonly string[];
  /** The identifiers inside a nodeId, `$node`: type and parameters. */
  readonly node?: readonly [type: string, ...parameters: Parameter[]];
}

const organization = '/v1/organizations/{o}';
const service = `${organization}/services/{s}`;
const pipe = `${service}/pipes/{p}`;
const dashboard = '/api/v2/dashboards/{d}';
const alert = '/api/v2/alerts/{a}';

const inService = 'organizationId: $o, serviceId: $s';
const inPipe = `${inService}, pipeId: $p`;

const way = (field: string, ...paths: readonly string[]): Way => {
  return { field, calls: paths.map((path) => `GET ${path}`) };
};
/** The field `node` for a nodeId with these parameters. */
const node = (
  selection: string,
  parameters: readonly Parameter[],
  ...paths: readonly string[]
): Way => {
  const [type = ''] = selection.split(' ');
  const field = `node(nodeId: $node) { ... on ${selection} }`;
  return { ...way(field, ...paths), node: [type, ...parameters] };
};

export const queries: readonly Way[] = [
  way('organization(id: $o) { name }', organization),
  way('organization(id: $o) { services { name } }', `${organization}/services`),
  way('organization(id: $o) { id invitations { email } }', `${organization}/invitations`),
  way('organization(id: $o) { service(id: $s) { name } }', service),
  way('organization(id: $o) { service(id: $s) { pipe(id: $p) { name } } }', pipe),
  way(`service(${inService}) { name }`, service),
  way(`service(${inService}) { pipes { name } }`, `${service}/pipes`),
  way(
    `service(${inService}) { backupConfiguration { backupStartTime } }`,
    `${service}/backupConfiguration`,
  ),
  way(`service(${inService}) { pipe(id: $p) { name } }`, pipe),
  way(`service(${inService}) { organization { name } }`, organization),
  way(`service(${inService}) { organization { service(id: $s) { name } } }`, service),
  way(`pipe(${inPipe}) { name }`, pipe),
  way(`pipe(${inPipe}) { service { name } }`, service),
  way(`pipe(${inPipe}) { service { organization { name } } }`, organization),
  way('dashboard(id: $d) { name }', dashboard),
  way('dashboard(id: $d) { alerts { name } }', '/api/v2/alerts'),
  way('alert(id: $a) { name }', alert),
  way('alert(id: $a) { dashboard { name } }', alert),
  node('Organization { name }', ['o'], organization),
  node('Service { name pipes { name } }', ['o', 's'], service, `${service}/pipes`),
  node('Pipe { name service { name } }', ['o', 's', 'p'], pipe, service),
  node('Dashboard { name }', ['d'], dashboard),
  node('Alert { name }', ['a'], alert),
];

const change = (name: string, ids: string, body: string, call: string): Way => ({
  field: `${name}(input: {${ids}${body}}) { userErrors { code } }`,
  calls: [call],
});

const wholeAlert =
  ', threshold: 1, interval: "1m", thresholdType: ABOVE, source: TILE, dashboardId: "..", tileId: "..", channel: {type: "webhook", webhookId: "../.."}, name: "n", message: "m"';

export const mutations: readonly Way[] = [
  change('updateOrganization', 'organizationId: $o', ', name: "n"', `PATCH ${organization}`),
  change('createApiKey', 'organizationId: $o', ', roles: [ADMIN]', `POST ${organization}/keys`),
  change('updateServiceScaling', inService, ', numReplicas: 2', `PATCH ${service}/scaling`),
  change('updateServicePassword', inService, '', `PATCH ${service}/password`),
  change('createPipe', inService, ', source: {kafka: {}}', `POST ${service}/pipes`),
  change('updatePipe', inPipe, ', name: "n"', `PATCH ${pipe}`),
  change('startPipe', inPipe, '', `PATCH ${pipe}/state`),
  change('stopPipe', inPipe, '', `PATCH ${pipe}/state`),
  change('resyncPipe', inPipe, '', `PATCH ${pipe}/state`),
  change('deleteDashboard', 'dashboardId: $d', '', `DELETE ${dashboard}`),
  ...[wholeAlert, ', threshold: 1'].map((body) => ({
    ...change('updateAlert', 'alertId: $a', body, ''),
    calls: [`GET ${alert}`, `PUT ${alert}`],
  })),
];

/** One path parameter of one field. */
export interface Slot {
  readonly way: Way;
  readonly parameter: Parameter;
}

const isParameter = (name: string): name is Parameter => Object.hasOwn(good, name);

const parametersOf = (way: Way): readonly Parameter[] => {
  const [, ...inNode] = way.node ?? [''];
  const named = [...way.field.matchAll(/\$([a-z]+)/g)].map(([, name = '']) => name);
  return [...new Set([...inNode, ...named])].filter(isParameter);
};

export const slotsOf = (ways: readonly Way[]): readonly Slot[] =>
  ways.flatMap((way) => parametersOf(way).map((parameter) => ({ way, parameter })));

const fill = (template: string, ids: Ids): string =>
  template.replaceAll(/\{([a-z])\}/g, (whole, name: string) =>
    isParameter(name) ? ids[name] : whole,
  );

/** The lists that may be read before, or instead of, single objects. */
const collections = (calls: readonly string[]): readonly string[] =>
  calls
    .filter((call) => /^GET .*\/\{[a-z]\}$/.test(call))
    .map((call) => call.replace(/\/\{[a-z]\}$/, ''));

/** A field with an identifier in one of its slots. */
export interface Probe {
  readonly slot: Slot;
  readonly identifier: string;
}

/** The calls of a probe: calls that it must make unless it is refused, and calls that it may make. */
export const callsOf = ({ slot: { way, parameter }, identifier }: Probe) => {
  const ids = { ...good, [parameter]: identifier };
  return {
    needed: way.calls.map((call) => fill(call, ids)),
    allowed: [...way.calls, ...collections(way.calls)].map((call) => fill(call, ids)),
  };
};

/** One operation with all these probes, with the aliases `f0`, `f1` and so on. */
export const operationOf = (type: 'query' | 'mutation', probes: readonly Probe[]) => {
  const variables: Record<string, string> = {};
  const fields = probes.map(({ slot: { way, parameter }, identifier }, index) => {
    const [nodeType, ...inNode] = way.node ?? [];
    const ids: Ids = { ...good, [parameter]: identifier };
    variables[`v${index}`] = nodeType
      ? Buffer.from([nodeType, ...inNode.map((name) => ids[name])].join(':')).toString('base64url')
      : identifier;
    const field = way.field.replaceAll(/\$([a-z]+)/g, (_, name: string) =>
      isParameter(name) && name !== parameter ? JSON.stringify(good[name]) : `$v${index}`,
    );
    return `f${index}: ${field}`;
  });
  const declared = Object.keys(variables).map((name) => `$${name}: ID!`);
  return { document: `${type} (${declared.join(', ')}) {\n${fields.join('\n')}\n}`, variables };
};
