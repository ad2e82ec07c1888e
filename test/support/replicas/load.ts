import { createDocuments } from '../pacing/documents.ts';

interface LoadOptions {
  readonly url: string;
  /** Credentials of management, which are used alike. */
  readonly holders: readonly string[];
  /** Requests of each credential under way at a time. */
  readonly parallel: number;
  /** Upstream calls of each request, all of them its own. */
  readonly calls: number;
}

/** What went wrong with a request: nothing, if undefined. */
const faultOf = async (answering: Promise<Response>): Promise<string | undefined> => {
  try {
    const response = await answering;
    const text = await response.text();
    const { errors }: { errors?: unknown } = JSON.parse(text);
    return response.status === 200 && errors === undefined ? undefined : text;
  } catch (error) {
    return String(error);
  }
};

/** Sends requests without a pause until it is ended, or each credential has sent `requests` with each of its clients. */
export const startLoad = (options: LoadOptions, requests = Number.POSITIVE_INFINITY) => {
  const { url, holders, parallel, calls } = options;
  const documentOf = createDocuments();
  const faults: string[] = [];
  let answered = 0;
  let isOver = false;
  const send = async (holder: string): Promise<void> => {
    const fault = await faultOf(
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'management-authorization': holder },
        body: JSON.stringify({ query: documentOf(calls) }),
      }),
    );
    if (fault === undefined) answered += 1;
    else faults.push(fault);
  };
  const work = async (holder: string): Promise<void> => {
    for (let sent = 0; sent < requests && !isOver; sent += 1) await send(holder);
  };
  const done = Promise.all(
    holders.flatMap((holder) => Array.from({ length: parallel }, () => work(holder))),
  );
  return {
    /** What was answered with anything but data. */
    faults: faults as readonly string[],
    /** Requests answered with data so far. */
    answered: () => answered,
    /** Once all of them are answered. */
    done,
    /** Sends nothing further, and waits for what is under way. */
    end: async (): Promise<void> => {
      isOver = true;
      await done;
    },
  };
};

/** So many credentials of management. */
export const createHolders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);
