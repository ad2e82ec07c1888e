import { credentialIdentity } from '../upstream/credential-identity.ts';
import { foldPath } from '../upstream/reads/changes.ts';
import type { Change, ReadName } from '../upstream/reads/shared-memory.ts';
import { answersFormat, type Names } from './names.ts';
import type { ChangeNames } from './pending-changes.ts';

/** The names in Redis that a read needs. */
export interface ReadNames {
  /** The answer. */
  readonly entry: string;
  /** The process that is reading it now. */
  readonly reader: string;
  /** The list of the credential's kept answers, and their size in bytes. */
  readonly shelf: readonly [entries: string, bytes: string];
  /** These names exist while any process keeps answers of the credential. */
  readonly held: readonly string[];
  /** Marks of changes. */
  readonly changes: readonly string[];
  /** Marks of writes of which it is unknown whether they were carried out. */
  readonly uncertain: readonly string[];
}

/** Makes the names for reads and changes: the same for all spellings of a credential. */
export const createReadNames = ({ nameOf, namesOf }: Names) => {
  /** Marks that every read depends on; see `createPendingChanges`. */
  const lost = namesOf('lost');
  const heldOf = ({ upstream, credential }: Pick<ReadName, 'upstream' | 'credential'>) =>
    namesOf('held', upstream, credentialIdentity(credential));
  const readerOf = ({ upstream, credential, path }: ReadName): string =>
    nameOf('reader', answersFormat, upstream, credentialIdentity(credential), foldPath(path));
  return {
    ...{ lost, heldOf, readerOf },
    of: (read: ReadName): ReadNames => {
      const { upstream, credential, path, starts, pathsNameOwner } = read;
      const identity = credentialIdentity(credential);
      const folded = foldPath(path);
      // A change may name a whole path, the start of a path, or all paths.
      const parts = [['whole', folded], ...['', ...starts].map((start) => ['start', start])];
      const own = (kind: string) =>
        parts.flatMap((part) => namesOf(kind, upstream, identity, ...part));
      const shared = (kind: string) =>
        parts.filter(([, text]) => text !== '').flatMap((part) => namesOf(kind, upstream, ...part));
      return {
        entry: nameOf('read', answersFormat, upstream, identity, folded),
        reader: readerOf(read),
        shelf: [nameOf('shelf', upstream, identity), nameOf('held', upstream, identity)],
        held: heldOf(read),
        changes: [...lost, ...own('changed'), ...(pathsNameOwner ? shared('changed-for-all') : [])],
        uncertain: own('uncertain'),
      };
    },
    changedBy: (change: Change): ChangeNames => {
      const { upstream, credential, paths, isForAll, isUncertain, isProven } = change;
      const identity = credentialIdentity(credential);
      const parts = paths.map(({ path, isWhole }) => [isWhole ? 'whole' : 'start', path]);
      const own = (kind: string) =>
        parts.flatMap((part) => namesOf(kind, upstream, identity, ...part));
      const shared = (kind: string) => parts.flatMap((part) => namesOf(kind, upstream, ...part));
      return {
        marks: [...own('changed'), ...(isForAll ? shared('changed-for-all') : [])],
        uncertain: isUncertain ? own('uncertain') : [],
        isProven,
      };
    },
  };
};
