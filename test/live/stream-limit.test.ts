import { describe } from 'vitest';
import { rows } from '../support/live-rows.ts';

describe('of a credential without a success', () => {
  rows(`
  only four streams are open, the fifth is refused at once, and there is no such limit once one has its answer (managementRate off)
    all: hangs, 4 A watch pipe as new, B watches pipe 1 as new ->
      B: (LIMIT_EXCEEDED 4 streams, retry after 5 s); end: refused / streams 4
    all: ok -> 4 A: Running
    16 C watch pipe as new -> 16 C: Running / streams 20
  another is opened when one of the four has ended
    all: hangs, 4 A watch pipe as new -> - / streams 4
    A leaves, 2 B watch pipe as new ->
      A: end: client left | B: (LIMIT_EXCEEDED 4 streams, retry after 5 s); end: refused / streams 4
  all streams end, and none is opened, once the upstream has refused it (managementRate off)
    all: hangs, 2 A watch pipe as wrong, B watches pipe 1 as wrong -> - / streams 3
    key wrong: 401, all: ok -> 2 A: null (UNAUTHENTICATED, credential refused); end: credential refused
      | B: null (UNAUTHENTICATED, credential refused); end: credential refused / streams 0, calls 3
    C watches pipe as wrong -> C: (UNAUTHENTICATED, credential refused); end: refused / calls 3
  all together leave a quarter of the streams to others, and give way to them (maxStreams 8)
    Q asks pipe as known -> Q: Running
    all: hangs, 4 A watch pipe as one, 2 B watch pipe as two, C watches pipe as three ->
      C: (LIMIT_EXCEEDED 6 streams, retry after 5 s); end: refused
    2 D watch pipes as known -> - / streams 8
    E watches pipes as known -> A: end: place needed / streams 8
    5 F watch pipes as known -> 3 A: end: place needed | 2 B: end: place needed / streams 8
    G watches pipes as known -> G: (LIMIT_EXCEEDED 8 streams); end: refused
  `);
});

describe('a credential that the upstream has refused', () => {
  rows(`
  is refused at once, until some seconds later
    pipe: 401, Q asks pipe -> Q: null (UNAUTHENTICATED)
    pipe: ok, A watches pipe -> A: (UNAUTHENTICATED, credential refused); end: refused / calls 1
    B watches alerts -> B: [OK dashboard]
    8 s, C watches pipe -> C: (UNAUTHENTICATED, credential refused); end: refused
    3 s, D watches pipe -> D: Running
  is refused at once, until a success
    pipe: 401, Q asks pipe -> Q: null (UNAUTHENTICATED)
    pipe: ok, A watches pipe -> A: (UNAUTHENTICATED, credential refused); end: refused / calls 1
    Q asks pipe -> Q: Running
    B watches pipe -> B: Running
  is asked for once more where it was accepted before
    Q asks pipe -> Q: Running
    pipe: 401, Q asks pipe anew -> Q: null (UNAUTHENTICATED)
    A watches pipe -> A: null (UNAUTHENTICATED, credential refused); end: credential refused
    B watches pipe -> B: (UNAUTHENTICATED, credential refused); end: refused
    pipe: ok, Q asks pipe anew -> Q: Running
    C watches pipe -> C: Running
  `);
});

describe('the bounds on streams', () => {
  rows(`
  leave room for others where one credential has the 200 that it may by default
    A watches pipe as one -> A: Running
    199 A watch pipe as one -> 199 A: Running
    B watches pipe as one, C watches pipe as other ->
      B: (LIMIT_EXCEEDED 200 streams); end: refused | C: Running
  hold for a credential, however it is spelt, and for all (maxStreams 3, maxStreamsPerCredential 2)
    A watches pipe as key, B watches pipe as KEY -> A: Running | B: Running
    C watches pipe as key -> C: (LIMIT_EXCEEDED 2 streams); end: refused
    D watches pipe as other -> D: Running
    E watches pipe as third -> E: (LIMIT_EXCEEDED 3 streams, retry after 5 s); end: refused
    A leaves, F watches pipe as third -> A: end: client left | F: Running
  leave a fifth of the connections to all else (maxConnections 10, maxStreamsPerCredential 10)
    A watches pipe as one -> A: Running
    7 A watch pipe as one -> 7 A: Running
    B watches pipe as one -> B: (LIMIT_EXCEEDED 8 streams); end: refused
    Q asks pipe -> Q: Running
  count a stream for the credential that it uses, of those that came with it (maxStreamsPerCredential 4)
    all: hangs, 4 A watch pipe, B watches alerts of a fragment -> B: [lag]
    C watches pipes -> C: (LIMIT_EXCEEDED 4 streams); end: refused
  are not for one that reads nothing, which ends with its first event (maxStreams 1)
    A watches nothing as any -> A: Organization (nothing to watch); end: nothing to watch
    B watches nothing as any -> B: Organization (nothing to watch); end: nothing to watch / calls 0
  are not for one that has no credential, which ends with its first event (maxStreams 1)
    A watches pipe as nobody -> A: null (UNAUTHENTICATED, nothing to watch); end: nothing to watch
    B watches pipe as nobody ->
      B: null (UNAUTHENTICATED, nothing to watch); end: nothing to watch / streams 0, calls 0
  `);
});
