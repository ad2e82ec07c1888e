import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type AnswerError, type Answering, credentials, result } from '../../support/harness.ts';
import { redisPath } from '../../support/redis.ts';
import { withIds, withNames } from '../../support/world/ids.ts';
import { numbers, pipeOf } from '../../support/world/worlds.ts';
import { startReplicas } from './replicas.ts';

const rate = { calls: 10, windowMs: 1000 };
const replicas = [0, 1, 2];
const services = 60;
/** The reads of the page: the list, and the pipes of each service. */
const ofPage = services + 1;

const page =
  '{ organization(organizationId: "organization-1") { services { id pipes { state } } } }';
const ofService = (number: number) =>
  `organizationId: "organization-1", serviceId: "service-${number}"`;

interface Body {
  readonly data: { readonly organization: { readonly services: readonly Service[] } };
  readonly errors?: readonly AnswerError[];
}
interface Service {
  readonly pipes: readonly { readonly state: string }[] | null;
}
interface Read {
  readonly path: string;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/**
 * Three replicas before an organization of many services with a pipe each, as soon as they share the limit. No view of all
 * of them waits for the whole.
 */
const startFleet = async (services: number, rate: Rate) => {
  const stopped = new Set<string>();
  const reads: Read[] = [];
  const answering: Answering = ({ method, path }) => {
    if (method === 'GET') reads.push({ path: withNames(path), at: performance.now() });
    const [, number = '', rest] = /service-(\d+)(.*)/.exec(withNames(path)) ?? [];
    if (method === 'PATCH') stopped.add(number);
    const pipe = { ...pipeOf(Number(number)), state: stopped.has(number) ? 'Stopped' : 'Running' };
    if (method === 'PATCH') return result(pipe);
    if (rest === '/pipes') return result([pipe]);
    return result(numbers(services).map((each) => ({ id: withIds(`service-${each}`) })));
  };
  const started = await startReplicas(rate, true, answering, { PACING_WAIT_MS: '1000' });
  const { replicas } = started;

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
    /** The accepted reads so far, in the order of arrival. */
    reads: reads as readonly Read[],
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

/** Less than any read of the page is fresh for, since the clocks of two processes differ a little. */
const surelyFreshMs = 2000;

const pathsOf = (reads: readonly Read[]) => new Set(reads.map(({ path }) => path));

/** The reads that came while the last answer to the same read was fresh. */
const needless = (reads: readonly Read[]): readonly Read[] =>
  reads.filter(({ path, at }, index) => {
    const last = reads.slice(0, index).findLast((other) => other.path === path);
    return last !== undefined && at < last.at + surelyFreshMs;
  });

describe.skipIf(redisPath === undefined)(
  'a page of a fleet, with viewers at three replicas,',
  () => {
    it('is read for all of them at once, within the limit, and nothing anew while it is fresh', async () => {
      const { untilWhole, reads, upstream } = await startFleet(services, rate);
      await Promise.all(replicas.map(untilWhole));
      expect(pathsOf(reads).size).toBe(ofPage);
      // The others wait 1.5 seconds for a process that reads. So one that stands still makes them read too.
      expect(needless(reads).length).toBeLessThanOrEqual(2);
      expect(upstream.refused).toEqual([]);
    });

    it('shows a change at each as soon as it was made at another, while the page is read', async () => {
      const { untilWhole, stopPipe, stateOf, view, upstream } = await startFleet(services, rate);
      const viewing = Promise.all(replicas.map(untilWhole));
      for (const [index, number] of [1, 20, 40, 60].entries()) {
        const [one = 0, ...others] = replicas.map((replica) => (replica + index) % 3);
        expect((await stopPipe(one, number)).data.stopPipe.userErrors).toEqual([]);
        const states = others.map((other) => stateOf(other, number));
        expect(await Promise.all(states)).toEqual(['Stopped', 'Stopped']);
        const { data } = await view(others[0] ?? 0);
        const [pipe = { state: 'Stopped' }] = data.organization.services[number - 1]?.pipes ?? [];
        expect(pipe).toEqual({ state: 'Stopped' });
      }
      await viewing;
      expect(upstream.refused).toEqual([]);
    });

    it('is read no further than the others want it, a minute after the last viewer of one has left', async () => {
      const { view, stateOf, reads } = await startFleet(100, { calls: 10, windowMs: 10_000 });
      expect((await view(0)).errors?.length).toBeGreaterThan(80);
      const until = performance.now() + 61_000;
      while (performance.now() < until) {
        await stateOf(1, 100);
        await pause(5000);
      }
      const before = reads.length;
      expect(pathsOf(reads).size).toBeGreaterThan(30);
      expect(pathsOf(reads).size).toBeLessThan(70);
      for (let views = 0; views < 3; views += 1) {
        await stateOf(1, 100);
        await pause(5000);
      }
      const own = '/v1/organizations/organization-1/services/service-100/pipes';
      expect(pathsOf(reads.slice(before))).toEqual(new Set([own]));
    });
  },
);
