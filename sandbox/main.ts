import { type Arguments, help, readArguments } from './arguments.ts';
import { failingNames, fleetHint, limitsHint, profileHint } from './hints.ts';
import { type Sandbox, startSandbox } from './server.ts';
import { readLimits, readPort } from './settings.ts';
import { fleetKey } from './world/fleet.ts';

const sentence = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: choose another with SANDBOX_MANAGEMENT_PORT or SANDBOX_OBSERVABILITY_PORT`;
  }
  return error.message;
};

const describe = (
  { managementUrl, observabilityUrl, credentials, world }: Sandbox,
  limits: boolean,
  { profile, fleetSize }: Arguments,
): string => {
  const { management } = credentials;
  const isBelow = profile === 'clickstack-cloud';
  const { observability } = credentials;
  const { organizationId, services } = world.management.main;
  const service = `/v1/organizations/${organizationId}/services/${services.production}`;
  const fleet = fleetSize > 0 ? { fleet: fleetKey } : {};
  const keys = Object.entries({ ...management, ...fleet }).map(
    ([name, { keyId, keySecret, header }]) =>
      `  ${name.padEnd(15)} ${`${keyId}:${keySecret}`.padEnd(41)} ${header}`,
  );
  const tokens = (isBelow ? [] : Object.entries(observability)).map(
    ([name, { token, header }]) => `  ${name.padEnd(15)} ${token.padEnd(41)} ${header}`,
  );
  return [
    `Management interface     ${managementUrl}   (Basic)`,
    ...keys,
    isBelow
      ? `Observability: below ${service}/clickstack, with the same keys`
      : `Observability interface  ${observabilityUrl}   (Bearer)`,
    ...tokens,
    '',
    `Fleet: ${fleetHint(fleetSize)}.`,
    `Profile: ${profileHint(profile)}.`,
    `Limits: ${limitsHint(limits, profile)}.`,
    `Fail on purpose, as a token or as key id and secret (-u demo-429:demo-429): ${failingNames(credentials)}.`,
    '',
    `curl -s -u ${management.admin.keyId}:${management.admin.keySecret} ${managementUrl}${service}`,
    isBelow
      ? `curl -s -u ${management.admin.keyId}:${management.admin.keySecret} ${managementUrl}${service}/clickstack/alerts`
      : `curl -s -H '${`Authorization: ${observability.main.header}`}' ${observabilityUrl}/api/v2/alerts`,
    '',
    'Everything is kept in memory and gone at the end. Stop with Ctrl-C.',
  ].join('\n');
};

const run = async (given: Arguments): Promise<void> => {
  const { profile, fleetSize } = given;
  const limits = readLimits();
  const sandbox = await startSandbox({
    profile,
    fleetSize,
    limits,
    // In a container, loopback could not be reached from outside.
    host: process.env.SANDBOX_HOST || '127.0.0.1',
    managementPort: readPort('SANDBOX_MANAGEMENT_PORT', 4101),
    observabilityPort: readPort('SANDBOX_OBSERVABILITY_PORT', 4102),
  });
  let closing = false;
  const close = (): void => {
    // npm passes on a signal that its whole process group received, so the same signal may come twice.
    if (closing) return;
    closing = true;
    void sandbox.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, close);
  console.log(describe(sandbox, limits, given));
};

try {
  const given = readArguments();
  if (given.help) console.log(help('sandbox'));
  else await run(given);
} catch (error) {
  console.error(`sandbox: ${sentence(error)}`);
  process.exitCode = 1;
}
