import { setTimeout as pause } from 'node:timers/promises';
import { type AnswerError, type Answering, credentials, result } from '../harness.ts';
import { withIds, withNames } from '../world/ids.ts';
import { numbers, pipeOf } from '../world/worlds.ts';
import { startBeforeExact } from './exact.ts';

const page = '{ organization(id: "organization-1") { services { id pipes { state } } } }';
const ofService = (number: number) =>
  `organizationId: "organization-1", serviceId: "service-${number}"`;

interface Body {
  readonly data: {
    readonly organization: {
      readonly services: readonly {
        readonly pipes: readonly { readonly state: string }[] | null;
      }[];
    };
  };
  readonly errors?: readonly AnswerError[];
}

/**
 * Three replicas before an organization of many services with a pipe each, as soon as they share the limit. No view of all
 * of them waits for the whole.
 */
export const startFleet = async (
  services: number,
  ...[rate, kind]: Parameters<typeof startBeforeExact>
) => {
  const stopped = new Set<string>();
  const answering: Answering = ({ method, path }) => {
    const [, number = '', rest] = /service-(\d+)(.*)/.exec(withNames(path)) ?? [];
    if (method === 'PATCH') stopped.add(number);
    const pipe = { ...pipeOf(Number(number)), state: stopped.has(number) ? 'Stopped' : 'Running' };
    if (method === 'PATCH') return result(pipe);
    if (rest === '/pipes') return result([pipe]);
    return result(numbers(services).map((each) => ({ id: withIds(`service-${each}`) })));
  };
  const started = await startBeforeExact(rate, kind, answering, { PACING_WAIT_MS: '1000' });
  const { calls, replicas } = started;

  const send = async (replica: number, query: string) => {
    const response = await fetch(`http://127.0.0.1:${replicas[replica]?.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials },
      body: JSON.stringify({ query: withIds(query) }),
    });
    return response.json();
  };
  const view = (replica: number): Promise<Body> => send(replica, page);
  return {
    ...started,
    /** Paths of the reads so far, in the order of arrival. */
    reads: (): readonly string[] =>
      calls.filter(({ method }) => method === 'GET').map(({ path }) => withNames(path)),
    view,
    /** Looks at the page each second until it is whole. */
    untilWhole: async (replica: number): Promise<void> => {
      while ((await view(replica)).errors) await pause(1000);
    },
    stopPipe: (replica: number, number: number) =>
      send(
        replica,
        `mutation { stopPipe(input: { ${ofService(number)}, pipeId: "pipe-${number}" }) { userErrors { message } } }`,
      ),
    /** What a page of one service shows of its pipe. */
    stateOf: async (replica: number, number: number): Promise<string> => {
      const { data } = await send(replica, `{ service(${ofService(number)}) { pipes { state } } }`);
      return data.service.pipes[0].state;
    },
  };
};
