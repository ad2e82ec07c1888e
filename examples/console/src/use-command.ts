import type { SluiceProblem } from '@sluice/client';
import { useEffect, useState } from 'react';
import type { Upstream } from './login.ts';
import type { Complaint } from './notice.tsx';
import { mayBeDone, problemsIn, refusalIn } from './problems.ts';
import { useSession } from './session.ts';

/** What the gateway answered to a mutation. */
export interface Outcome<Item> {
  /** The success message; undefined if the mutation was not carried out. */
  readonly said: string | undefined;
  /** The object after the mutation, if it is complete. */
  readonly item: Item | null | undefined;
  /** Reasons for a refusal that the user can solve. */
  readonly userErrors: readonly Complaint[];
  readonly errors: readonly SluiceProblem[];
}

interface Command<Input, Item> {
  /** The object after the mutation, until the stream shows a change. */
  readonly item: Item;
  /** Resolves when the mutation has ended, with whether it was carried out. */
  readonly send: (input: Input) => Promise<boolean>;
  readonly underWay: boolean;
  /** The success message, shown until the object has changed, and for some seconds more. */
  readonly said: string | undefined;
  /** Problems, shown until they are dismissed or the next mutation is sent. */
  readonly complaints: readonly Complaint[];
  readonly dismiss: () => void;
}

interface State<Item> {
  /** The object from the mutation's answer, with the stream's state at the time of sending. */
  readonly own?: { readonly item: Item; readonly instead: string } | undefined;
  readonly underWay: boolean;
  readonly said?: string | undefined;
  readonly complaints: readonly Complaint[];
}

const advice =
  'The change may have been made all the same: look at what is shown here before you send it again.';

/** How long a message is shown after the change is done, and an answer takes precedence over a stream that shows no change. */
const newsMs = 4000;
const ownMs = 30_000;

/**
 * An object that a stream shows and that can be changed. The answer of a mutation shows at once; when the stream shows any
 * other state than at the time of sending, the stream takes precedence.
 */
export const useCommand = <Input, Item extends { readonly phase: string }>(
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
  const item = own?.instead === shown ? own.item : given;
  const isChanging = item.phase === 'CHANGING';

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
    if (said === undefined || isChanging) return;
    const timer = setTimeout(() => setState((before) => ({ ...before, said: undefined })), newsMs);
    return () => clearTimeout(timer);
  }, [said, isChanging]);

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
      // After a successful mutation, errors concern the returned object, and the stream shows them as well.
      complaints: done ? [] : [...userErrors, ...errors, ...(unclear ? [{ message: advice }] : [])],
    });
    return done;
  };

  return {
    item,
    send,
    underWay,
    said,
    complaints,
    dismiss: () => setState((before) => ({ ...before, complaints: [] })),
  };
};
