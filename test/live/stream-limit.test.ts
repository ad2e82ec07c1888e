import { it } from 'vitest';
import {
  A,
  B,
  C,
  carryOut,
  configure,
  D,
  E,
  F,
  fails,
  G,
  hangs,
  keyFails,
  news,
  pass,
  Q,
  works,
} from '../support/live-rows.ts';

it('of a credential without a success only four streams are open, the fifth is refused at once, and there is no such limit once one has its answer', async () => {
  configure({ managementRate: undefined });
  await carryOut(hangs('all'), A.watches('pipe', { times: 4, as: 'new' }));
  await carryOut(B.watches('pipe 1', { as: 'new' }));
  await news('B: (LIMIT_EXCEEDED 4 streams, retry after 5 s); end: refused', { streams: 4 });
  await news('4 A: Running', works('all'));
  await news('16 C: Running', C.watches('pipe', { times: 16, as: 'new' }), { streams: 20 });
});
it('of a credential without a success another is opened when one of the four has ended', async () => {
  await news('-', hangs('all'), A.watches('pipe', { times: 4, as: 'new' }), { streams: 4 });
  await carryOut(A.leaves, B.watches('pipe', { times: 2, as: 'new' }));
  await news('A: end: client left | B: (LIMIT_EXCEEDED 4 streams, retry after 5 s); end: refused', {
    streams: 4,
  });
});
it('of a credential without a success all streams end, and none is opened, once the upstream has refused it', async () => {
  configure({ managementRate: undefined });
  await carryOut(hangs('all'), A.watches('pipe', { times: 2, as: 'wrong' }));
  await news('-', B.watches('pipe 1', { as: 'wrong' }), { streams: 3 });
  await carryOut(keyFails('wrong', 401), works('all'));
  await news(
    '2 A: null (UNAUTHENTICATED, credential refused); end: credential refused | B: null (UNAUTHENTICATED, credential refused); end: credential refused',
    { streams: 0, calls: 3 },
  );
  await carryOut(C.watches('pipe', { as: 'wrong' }));
  await news('C: (UNAUTHENTICATED, credential refused); end: refused', { calls: 3 });
});
it('of a credential without a success all together leave a quarter of the streams to others, and give way to them', async () => {
  configure({ maxStreams: 8 });
  await news('Q: Running', Q.asks('pipe', { as: 'known' }));
  await carryOut(hangs('all'), A.watches('pipe', { times: 4, as: 'one' }));
  await carryOut(B.watches('pipe', { times: 2, as: 'two' }), C.watches('pipe', { as: 'three' }));
  await news('C: (LIMIT_EXCEEDED 6 streams, retry after 5 s); end: refused');
  await news('-', D.watches('pipes', { times: 2, as: 'known' }), { streams: 8 });
  await news('A: end: place needed', E.watches('pipes', { as: 'known' }), { streams: 8 });
  await carryOut(F.watches('pipes', { times: 5, as: 'known' }));
  await news('3 A: end: place needed | 2 B: end: place needed', { streams: 8 });
  await news('G: (LIMIT_EXCEEDED 8 streams); end: refused', G.watches('pipes', { as: 'known' }));
});

it('a credential that the upstream has refused is refused at once, until some seconds later', async () => {
  await news('Q: null (UNAUTHENTICATED)', fails('pipe', 401), Q.asks('pipe'));
  await carryOut(works('pipe'), A.watches('pipe'));
  await news('A: (UNAUTHENTICATED, credential refused); end: refused', { calls: 1 });
  await news('B: [OK dashboard]', B.watches('alerts'));
  await news('C: (UNAUTHENTICATED, credential refused); end: refused', pass(8), C.watches('pipe'));
  await news('D: Running', pass(3), D.watches('pipe'));
});
it('a credential that the upstream has refused is refused at once, until a success', async () => {
  await news('Q: null (UNAUTHENTICATED)', fails('pipe', 401), Q.asks('pipe'));
  await carryOut(works('pipe'), A.watches('pipe'));
  await news('A: (UNAUTHENTICATED, credential refused); end: refused', { calls: 1 });
  await news('Q: Running', Q.asks('pipe'));
  await news('B: Running', B.watches('pipe'));
});
it('a credential that the upstream has refused is asked for once more where it was accepted before', async () => {
  await news('Q: Running', Q.asks('pipe'));
  await news('Q: null (UNAUTHENTICATED)', fails('pipe', 401), Q.asks('pipe', { anew: true }));
  await carryOut(A.watches('pipe'));
  await news('A: null (UNAUTHENTICATED, credential refused); end: credential refused');
  await news('B: (UNAUTHENTICATED, credential refused); end: refused', B.watches('pipe'));
  await news('Q: Running', works('pipe'), Q.asks('pipe', { anew: true }));
  await news('C: Running', C.watches('pipe'));
});

it('the bounds on streams leave room for others where one credential has the 200 that it may by default', async () => {
  await news('A: Running', A.watches('pipe', { as: 'one' }));
  await news('199 A: Running', A.watches('pipe', { times: 199, as: 'one' }));
  await carryOut(B.watches('pipe', { as: 'one' }), C.watches('pipe', { as: 'other' }));
  await news('B: (LIMIT_EXCEEDED 200 streams); end: refused | C: Running');
});
it('the bounds on streams hold for a credential, however it is spelt, and for all', async () => {
  configure({ maxStreams: 3, maxStreamsPerCredential: 2 });
  await carryOut(A.watches('pipe', { as: 'key' }));
  await news('A: Running | B: Running', B.watches('pipe', { as: 'KEY' }));
  await news('C: (LIMIT_EXCEEDED 2 streams); end: refused', C.watches('pipe', { as: 'key' }));
  await news('D: Running', D.watches('pipe', { as: 'other' }));
  await carryOut(E.watches('pipe', { as: 'third' }));
  await news('E: (LIMIT_EXCEEDED 3 streams, retry after 5 s); end: refused');
  await news('A: end: client left | F: Running', A.leaves, F.watches('pipe', { as: 'third' }));
});
it('the bounds on streams leave a fifth of the connections to all else', async () => {
  configure({ maxConnections: 10, maxStreamsPerCredential: 10 });
  await news('A: Running', A.watches('pipe', { as: 'one' }));
  await news('7 A: Running', A.watches('pipe', { times: 7, as: 'one' }));
  await news('B: (LIMIT_EXCEEDED 8 streams); end: refused', B.watches('pipe', { as: 'one' }));
  await news('Q: Running', Q.asks('pipe'));
});
it('the bounds on streams count a stream for the credential that it uses, of those that came with it', async () => {
  configure({ maxStreamsPerCredential: 4 });
  await carryOut(hangs('all'));
  await news('B: [lag]', A.watches('pipe', { times: 4 }), B.watches('alerts of a fragment'));
  await news('C: (LIMIT_EXCEEDED 4 streams); end: refused', C.watches('pipes'));
});
it('the bounds on streams are not for one that reads nothing, which ends with its first event', async () => {
  configure({ maxStreams: 1 });
  await carryOut(A.watches('nothing', { as: 'any' }));
  await news('A: Organization (nothing to watch); end: nothing to watch');
  await carryOut(B.watches('nothing', { as: 'any' }));
  await news('B: Organization (nothing to watch); end: nothing to watch', { calls: 0 });
});
it('the bounds on streams are not for one that has no credential, which ends with its first event', async () => {
  configure({ maxStreams: 1 });
  await carryOut(A.watches('pipe', { as: 'nobody' }));
  await news('A: null (UNAUTHENTICATED, nothing to watch); end: nothing to watch');
  await carryOut(B.watches('pipe', { as: 'nobody' }));
  await news('B: null (UNAUTHENTICATED, nothing to watch); end: nothing to watch', {
    streams: 0,
    calls: 0,
  });
});
