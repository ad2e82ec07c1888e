import { isDeepStrictEqual } from 'node:util';
import { gatewayProfiles } from '../../sandbox/profile.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { fleetKey } from '../../sandbox/world/fleet.ts';
import { startServer } from '../children.ts';
import { ask, type Credentials, createAgent, type Spent, toolsAt } from './agent.ts';
import { fleetJobs, type Impossible, impossible, type Job, jobs } from './jobs.ts';

const profile = 'live';
const fleetSize = 25;

/** How a job ended. */
export interface Done {
  readonly asks: string;
  readonly spent: Spent;
  readonly before: Spent | undefined;
  /** What is wrong with the answer; undefined if it is right. */
  readonly fault: string | undefined;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

const doJob = async (url: string, credentials: Credentials, job: Job): Promise<Done> => {
  const { asks, truth, script, before } = job;
  const agent = createAgent(url, credentials);
  let fault: string | undefined;
  try {
    const told = await script(agent.call);
    const [query, answer] = truth;
    const right = answer(await ask(url, credentials, query));
    if (!isDeepStrictEqual(told, right)) fault = `${shown(told)}, not ${shown(right)}`;
  } catch (error) {
    fault = String(error);
  }
  return { asks, spent: agent.spent, before, fault };
};

const doAll = async (
  url: string,
  credentials: Credentials,
  list: readonly Job[],
): Promise<readonly Done[]> => {
  const done: Done[] = [];
  for (const job of list) done.push(await doJob(url, credentials, job));
  return done;
};

/** A job without an answer is done right if the tool that comes near says so. */
const tell = ({ asks, tool, says }: Impossible, tools: ReadonlyMap<string, string>): Done => {
  const told = tools.get(tool);
  const isTold = told !== undefined && says.test(told);
  const fault = isTold ? undefined : `${tool} does not say ${says}: ${told}`;
  return { asks, spent: { calls: 0, characters: 0 }, before: undefined, fault };
};

const credentialsOf = (
  { credentials: { management, observability } }: Sandbox,
  key = management.admin,
): Credentials => ({
  'management-authorization': key.header,
  'observability-authorization': observability.main.header,
});

/** Does all jobs as an agent, in front of a new world with the limits of real services. */
export const doJobs = async () => {
  const sandbox = await startSandbox({ profile, fleetSize });
  const gateway = await startServer('Sluice', sandbox.managementUrl, {
    ...{ OBSERVABILITY_URL: sandbox.observabilityUrl, MCP: 'author', LOG_LEVEL: 'silent' },
    ...gatewayProfiles[profile],
  });
  try {
    const own = credentialsOf(sandbox);
    const tools = await toolsAt(gateway.url, own);
    return {
      one: await doAll(gateway.url, own, jobs),
      fleet: await doAll(gateway.url, credentialsOf(sandbox, fleetKey), fleetJobs),
      impossible: impossible.map((each) => tell(each, tools)),
    };
  } finally {
    await gateway.stop();
    await sandbox.close();
  }
};

/** What the jobs took that were possible before, then and now. */
export const compare = (done: readonly Done[]) => {
  const known = done.filter(({ before }) => before);
  const sum = (spents: readonly (Spent | undefined)[]): Spent => ({
    calls: spents.reduce((total, spent) => total + (spent?.calls ?? 0), 0),
    characters: spents.reduce((total, spent) => total + (spent?.characters ?? 0), 0),
  });
  return {
    before: sum(known.map(({ before }) => before)),
    now: sum(known.map(({ spent }) => spent)),
  };
};
