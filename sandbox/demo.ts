import { describeWarnings, readStart } from '../src/config/start.ts';
import { type Config, ConfigError } from '../src/config.ts';
import { listenOn } from '../src/gateway/listen.ts';
import { createGatewayServer, type GatewayServer } from '../src/gateway/server.ts';
import { agentsPath, graphqlPath } from '../src/gateway/yoga.ts';
import { openLog } from '../src/log.ts';
import { onStopSignal } from '../src/process.ts';
import { type Arguments, help, readArguments } from './arguments.ts';
import { graphiqlStart } from './graphiql.ts';
import { failingNames, fleetHint, limitsHint, profileHint } from './hints.ts';
import { gatewayProfiles, type SandboxProfile } from './profile.ts';
import { type Sandbox, startSandbox } from './server.ts';
import { readLimits } from './settings.ts';
import { fleetKey } from './world/fleet.ts';

const createDemoGateway = async (config: Config, sandbox: Sandbox): Promise<GatewayServer> => {
  const log = await openLog(config);
  return createGatewayServer({ config, log, graphiqlStart: graphiqlStart(sandbox) });
};

/** Starts listening and returns the port; on failure closes the gateway and rejects. */
const listen = async (
  gateway: GatewayServer,
  { host, port, metricsPort }: Config,
): Promise<number> => {
  const { server, metricsServer, started } = gateway;
  try {
    await started;
    const taken = await listenOn(server, host, port);
    if (metricsServer) await listenOn(metricsServer, host, metricsPort ?? 0);
    return taken;
  } catch (error) {
    await gateway.close();
    throw error;
  }
};

interface Demo {
  readonly url: string;
  readonly agents: string;
  readonly tools: string;
  readonly sandbox: Sandbox;
  /** Sentences about settings and limits that are probably not meant so. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Sandbox and gateway in one process. Both REST interfaces use any free port; PORT and HOST are the gateway's. */
const startDemo = async (limits: boolean, { profile, fleetSize }: Arguments): Promise<Demo> => {
  const sandbox = await startSandbox({ limits, profile, fleetSize });
  try {
    // Without limits in the sandbox, the gateway has no limits by default either.
    const lifted = { MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off' };
    const environment = {
      EXPLAIN: 'on',
      LOG_LEVEL: 'warn',
      ...(!limits && lifted),
      ...process.env,
      MANAGEMENT_URL: sandbox.managementUrl,
      OBSERVABILITY_URL: sandbox.observabilityUrl,
      // The dialect of the sandbox decides, whatever the environment says.
      ...gatewayProfiles[profile],
    };
    const { config, warnings } = readStart(environment, process.env);
    // The sandbox is in this process, where no proxy would find it.
    const gateway = await createDemoGateway({ ...config, proxies: undefined }, sandbox);
    const port = await listen(gateway, config);
    const close = async (): Promise<void> => {
      await gateway.close();
      await sandbox.close();
    };
    const origin = `http://${config.host}:${port}`;
    const agents =
      config.mcp === 'off' ? 'none (MCP=read, MCP=write or MCP=author)' : origin + agentsPath;
    const paths = profile === 'clickstack-cloud' ? ['management'] : ['management', 'observability'];
    const tools =
      config.rest === 'off'
        ? 'none (REST=read or REST=write)'
        : paths.map((path) => `${origin}/${path}`).join(' and ');
    return {
      url: origin + graphqlPath,
      agents,
      tools,
      sandbox,
      warnings: describeWarnings(warnings),
      close,
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
};

const welcome = (
  { url, agents, tools, sandbox }: Demo,
  limits: boolean,
  profile: SandboxProfile,
): string => {
  const { credentials, managementUrl, observabilityUrl, fleetSize } = sandbox;
  const { management, observability } = credentials;
  const { headers } = graphiqlStart(sandbox);
  const isBelow = profile === 'clickstack-cloud';
  const beside = isBelow
    ? `below its services; ${management.queryEndpoints.keyId} may not use it`
    : `${observabilityUrl}  Observability-Authorization: ${observability.main.header}`;
  const token = isBelow ? '' : ` -H 'Observability-Authorization: ${observability.main.header}'`;
  const failing = isBelow
    ? 'as key id and secret (Basic $(printf demo-429:demo-429 | base64))'
    : `as a token
                  (Bearer demo-429) or as key id and secret (Basic $(printf demo-429:demo-429 | base64))`;
  return `Sluice is running on demo data, kept in memory and gone at the end.

  GraphiQL        ${url}
  agents          ${agents}
  REST tools      ${tools}
  management      ${managementUrl}  Management-Authorization: ${management.admin.header}
  observability   ${beside}
  fleet           ${fleetHint(fleetSize)}${fleetSize > 0 ? `  Management-Authorization: ${fleetKey.header}` : ''}
  profile         ${profileHint(profile)}
  limits          ${limitsHint(limits, profile)}
  failing         ${failingNames(credentials)} fail on purpose, ${failing}

Try it:

curl -s ${url} -H 'content-type: application/json' -H 'Management-Authorization: ${headers['Management-Authorization']}'${token} -d '{"query":"{ organizations { name pipes(filter: { phaseIn: [FAILED, STOPPED] }) { items { name state } } } alerts(filter: { phaseIn: [FIRING] }) { name dashboard { name } } }"}'

Stop with Ctrl-C.`;
};

const sentences = (error: unknown): readonly string[] => {
  if (error instanceof ConfigError) return error.faults;
  if (!(error instanceof Error)) return [String(error)];
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const name = String(port) === process.env.METRICS_PORT ? 'METRICS_PORT' : 'PORT';
  return code === 'EADDRINUSE'
    ? [`Port ${port} is in use: choose another, such as ${name}=4001`]
    : [error.message];
};

try {
  const given = readArguments();
  const limits = readLimits();
  if (given.help) console.log(help('demo'));
  else {
    const demo = await startDemo(limits, given);
    onStopSignal(() => void demo.close());
    console.log(welcome(demo, limits, given.profile));
    for (const warning of demo.warnings) console.error(`demo: ${warning}`);
  }
} catch (error) {
  console.error(`demo: ${sentences(error).join('\n      ')}`);
  process.exitCode = 1;
}
