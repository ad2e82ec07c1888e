import type { Client, TypedDocumentString } from '@sluice/client';
import type { Complaint } from './notice.tsx';
import { problemsIn } from './problems.ts';
import type { Outcome } from './use-command.ts';
import { type Command, commandWords } from './words.ts';

interface Sent<Item, Ids> {
  readonly command: Command;
  readonly document: TypedDocumentString<
    { outcome: { item: Item | null; userErrors: readonly Complaint[] } },
    { input: Ids }
  >;
  /** Reads the item. */
  readonly now: TypedDocumentString<{ item: Item | null }, Ids>;
  readonly ids: Ids;
}

/** Sends a command to a pipe or a service. */
export const sendCommand = async <Item, Ids>(
  client: Client,
  { command, document, now, ids }: Sent<Item, Ids>,
): Promise<Outcome<Item>> => {
  const { data, errors } = await client.execute(document, { input: ids });
  const { item, userErrors = [] } = data?.outcome ?? {};
  if (userErrors.length > 0) {
    // The state differs from the one that the page has shown.
    const read = await client
      .execute(now, ids)
      .catch((thrown: unknown) => ({ data: null, errors: problemsIn(thrown) }));
    return { said: undefined, item: read.data?.item, userErrors, errors: read.errors };
  }
  return {
    said: item ? `${commandWords[command]} was sent.` : undefined,
    item: errors.length === 0 ? item : undefined,
    userErrors,
    errors,
  };
};
