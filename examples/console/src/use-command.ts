import type { SluiceProblem } from '@sluice/client';
import { useEffect, useState } from 'react';
import type { Complaint } from './notice.tsx';
import { mayBeDone, problemsIn, refusalIn } from './problems.ts';
import { type Upstream, useSession } from './session.ts';

/** What the gateway answered to a mutation. */
export interface Outcome<Item> {
  /** What to say of it; undefined where it was not carried out. */
  readonly said: string | undefined;
  /** The thing as the mutation left it, where it came whole. */
  readonly item: Item | null | undefined;
  /** Why not, as far as the person at the keyboard can mend it. */
  readonly userErrors: readonly Complaint[];
  readonly errors: readonly SluiceProblem[];
}

interface Command<Input, Item> {
  /** The thing as the mutation left it, until the stream shows what has become of it. */
  readonly item: Item;
  /** Resolves once it has ended, with whether it was carried out. */
  readonly send: (input: Input) => Promise<boolean>;
  readonly underWay: boolean;
  /** What to say of it, for some seconds. */
  readonly said: string | undefined;
  /** What went wrong, until it is dismissed or the next mutation is sent. */
  readonly complaints: readonly Complaint[];
  readonly dismiss: () => void;
}

interface State<Item> {
  /** What a mutation answered, in the place of what the stream showed when it was sent. */
  readonly own?: { readonly item: Item; readonly instead: string } | undefined;
  readonly underWay: boolean;
  readonly said?: string | undefined;
  readonly complaints: readonly Complaint[];
}

const advice =
  'The change may have been made all the same: look at what is shown here before you send it again.';

/** For how long an outcome is news, and an answer stands against a stream that shows no change. */
const newsMs = 10_000;
const ownMs = 30_000;

/**
 * A thing that a stream shows, and that can be changed. What the mutation answers shows at once; as soon as the stream
 * shows anything else than when the mutation was sent, the stream counts.
 */
export const useCommand = <Input, Item extends object>(
  upstream: Upstream,
  given: Item,
  perform: (input: Input) => Promise<Outcome<Item>>,
): Command<Input, Item> => {
  const { refuse } = useSession();
  const [{ own, underWay, said, complaints }, setState] = useState<State<Item>>({
    underWay: false,
    complaints: [],
  });
  const shown = JSON.stringify(given);

  useEffect(() => {
    if (!own) return;
    const drop = (): void => setState((before) => ({ ...before, own: undefined }));
    if (own.instead !== shown) {
      drop();
      return;
    }
    const timer = setTimeout(drop, ownMs);
    return () => clearTimeout(timer);
  }, [own, shown]);

  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setState((before) => ({ ...before, said: undefined })), newsMs);
    return () => clearTimeout(timer);
  }, [said]);

  const send = async (input: Input): Promise<boolean> => {
    setState({ own, underWay: true, complaints: [] });
    const { said, item, userErrors, errors } = await perform(input).catch(
      (thrown: unknown): Outcome<Item> => ({
        said: undefined,
        item: undefined,
        userErrors: [],
        errors: problemsIn(thrown),
      }),
    );
    const refusal = refusalIn(errors);
    if (refusal) refuse(upstream, refusal);
    const done = said !== undefined;
    const unclear = !done && errors.some(mayBeDone);
    setState({
      own: item ? { item, instead: shown } : undefined,
      underWay: false,
      said,
      // Once it is done, errors are about the thing that came back, which the stream shows as well.
      complaints: done ? [] : [...userErrors, ...errors, ...(unclear ? [{ message: advice }] : [])],
    });
    return done;
  };

  return {
    item: own?.instead === shown ? own.item : given,
    send,
    underWay,
    said,
    complaints,
    dismiss: () => setState((before) => ({ ...before, complaints: [] })),
  };
};
