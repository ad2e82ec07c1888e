import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import '../support/client/built.ts';
import { untilWhole } from '../../examples/apollo-links.ts';
import { serveGraphql } from '../support/client/kit.ts';

const query = gql`
  {
    organization(id: "o") {
      id
      services {
        id
        name
      }
    }
  }
`;

const services = (ready: number) =>
  ['a', 'b'].map((id, index) => ({
    __typename: 'Service',
    id,
    name: index < ready ? `service ${id}` : null,
  }));

/** An answer with so many of two services. */
const answer = (ready: number) => ({
  data: { organization: { __typename: 'Organization', id: 'o', services: services(ready) } },
  ...(ready < 2 && {
    errors: [{ message: 'not yet', extensions: { code: 'RATE_LIMITED' } }],
    extensions: { progress: { ready, wanted: 2, completeInSeconds: 30 } },
  }),
});

/** Watches the query until the test ends; each answer has one service more than the one before. */
const watch = async () => {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;
  vi.useFakeTimers({ toFake: [...toFake] });
  onTestFinished(() => void vi.useRealTimers());
  let answered = 0;
  const uri = await serveGraphql((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(answered)));
    answered += 1;
  });
  // Tells of a request when it is sent.
  const send = vi.fn(fetch);
  const client = new ApolloClient({
    link: untilWhole.concat(new HttpLink({ uri, fetch: send })),
    cache: new InMemoryCache(),
  });
  const seen: unknown[] = [];
  const watching = client
    .watchQuery({ query, errorPolicy: 'all', notifyOnNetworkStatusChange: false })
    .subscribe(({ data, error }) => {
      const { extensions } = CombinedGraphQLErrors.is(error) ? error : {};
      if (data) seen.push([data, extensions?.progress]);
    });
  return { watching, seen, send };
};

describe('the link of examples/apollo-links.ts', () => {
  it('shows each fuller answer until one is whole', async () => {
    const { seen, send } = await watch();
    vi.setTimerTickMode('nextTimerAsync');
    await vi.waitFor(() => expect(seen).toHaveLength(3));
    expect(seen).toEqual([
      [answer(0).data, { ready: 0, wanted: 2, completeInSeconds: 30 }],
      [answer(1).data, { ready: 1, wanted: 2, completeInSeconds: 30 }],
      [answer(2).data, undefined],
    ]);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('asks no more where nobody watches', async () => {
    const { watching, seen, send } = await watch();
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    watching.unsubscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(send).toHaveBeenCalledTimes(1);
  });
});
