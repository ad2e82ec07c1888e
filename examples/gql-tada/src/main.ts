import { dashboardTree, describeAlert } from './alerts.ts';
import { createSluiceClient, dataOf, failuresOf } from './client.ts';
import { describePipe, pipeTree } from './pipes.ts';

// The defaults work with the demo, `npm run demo` in this repository.
const {
  SLUICE_URL = 'http://127.0.0.1:4000/graphql',
  MANAGEMENT_AUTHORIZATION = 'Basic ZGVtby1hZG1pbi1rZXk6ZGVtby1hZG1pbi1zZWNyZXQ=',
  OBSERVABILITY_AUTHORIZATION = 'Bearer demo-main-token',
} = process.env;

const client = createSluiceClient({
  url: SLUICE_URL,
  management: () => MANAGEMENT_AUTHORIZATION,
  observability: () => OBSERVABILITY_AUTHORIZATION,
});

const print = (depth: number, line: string): void => {
  process.stdout.write(`${'  '.repeat(depth)}${line}\n`);
};

const pipes = await client.query(pipeTree, {});
if (pipes.error?.networkError) {
  process.stderr.write(
    `No gateway answers at ${SLUICE_URL}: run "npm run demo" at the root, or set SLUICE_URL.\n`,
  );
  process.exit(1);
}
for (const organization of dataOf(pipes).organizations ?? []) {
  print(0, organization.name ?? organization.id);
  for (const service of organization.services ?? []) {
    print(1, `${service.name ?? service.id}, since ${service.createdAt ?? 'an unknown time'}`);
    for (const pipe of service.pipes ?? []) print(2, describePipe(pipe));
  }
}

const dashboards = await client.query(dashboardTree, {});
for (const dashboard of dataOf(dashboards).dashboards ?? []) {
  print(0, dashboard.name ?? dashboard.id);
  for (const tile of dashboard.tiles ?? []) {
    print(1, tile.name ?? tile.id);
    for (const alert of tile.alerts ?? []) print(2, describeAlert(alert));
  }
}

for (const failure of [...failuresOf(pipes), ...failuresOf(dashboards)]) {
  process.stderr.write(`${failure}\n`);
}
