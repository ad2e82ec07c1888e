import { organizationId, serviceId } from '../live-world.ts';

const pipeIdOf = (number: number): string =>
  `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`;

const documentOf = (pipeId: string): string =>
  `mutation { stopPipe(input: { organizationId: "${organizationId}", serviceId: "${serviceId}", pipeId: "${pipeId}" }) {
    pipe { state } userErrors { message }
  } }`;

interface WritesOptions {
  readonly url: string;
  /** Credentials of management, each of which has one mutation under way at a time. */
  readonly holders: readonly string[];
}

/** Sends mutations without a pause until it is ended, each of a pipe of its own, and none of them twice. */
export const startWrites = ({ url, holders }: WritesOptions) => {
  const pipes: string[] = [];
  const answers: string[] = [];
  let isOver = false;
  const send = async (holder: string): Promise<void> => {
    const pipeId = pipeIdOf(pipes.length);
    pipes.push(pipeId);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'management-authorization': holder },
      body: JSON.stringify({ query: documentOf(pipeId) }),
    });
    answers.push(await response.text());
  };
  const done = Promise.all(
    holders.map(async (holder) => {
      while (!isOver) await send(holder);
    }),
  );
  return {
    /** The pipe of each mutation that was sent. */
    pipes: pipes as readonly string[],
    /** The body of each answer. */
    answers: answers as readonly string[],
    /** Sends nothing further, and waits for what is under way. Rejects where a mutation got no answer. */
    end: async (): Promise<void> => {
      isOver = true;
      await done;
    },
  };
};
