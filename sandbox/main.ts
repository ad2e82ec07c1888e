import { type Sandbox, startSandbox } from './server.ts';

const readPort = (name: string, fallback: number): number => {
  const value = process.env[name] ?? '';
  if (value === '') return fallback;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535) {
    throw new Error(`${name} must be a port: an integer from 0 to 65535`);
  }
  return port;
};

const sentence = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: choose another with SANDBOX_MANAGEMENT_PORT or SANDBOX_OBSERVABILITY_PORT`;
  }
  return error.message;
};

const describe = ({ managementUrl, observabilityUrl, credentials, world }: Sandbox): string => {
  const { management, observability } = credentials;
  const { organizationId, services } = world.management.main;
  const service = `/v1/organizations/${organizationId}/services/${services.production}`;
  const keys = Object.entries(management).map(
    ([name, { keyId, keySecret, header }]) =>
      `  ${name.padEnd(15)} ${`${keyId}:${keySecret}`.padEnd(41)} ${header}`,
  );
  const tokens = Object.entries(observability).map(
    ([name, { token, header }]) => `  ${name.padEnd(15)} ${token.padEnd(41)} ${header}`,
  );
  return [
    `Management interface     ${managementUrl}   (Basic)`,
    ...keys,
    `Observability interface  ${observabilityUrl}   (Bearer)`,
    ...tokens,
    '',
    `curl -s -u ${management.admin.keyId}:${management.admin.keySecret} ${managementUrl}${service}`,
    `curl -s -H '${`Authorization: ${observability.main.header}`}' ${observabilityUrl}/api/v2/alerts`,
    '',
    'Everything is kept in memory and gone at the end. Stop with Ctrl-C.',
  ].join('\n');
};

try {
  const sandbox = await startSandbox({
    managementPort: readPort('SANDBOX_MANAGEMENT_PORT', 4101),
    observabilityPort: readPort('SANDBOX_OBSERVABILITY_PORT', 4102),
  });
  let closing = false;
  const close = (): void => {
    // npm passes on a signal that its whole process group got, so the same one may come twice.
    if (closing) return;
    closing = true;
    void sandbox.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, close);
  console.log(describe(sandbox));
} catch (error) {
  console.error(`sandbox: ${sentence(error)}`);
  process.exitCode = 1;
}
