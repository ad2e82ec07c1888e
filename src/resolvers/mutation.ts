import type { Context } from '../context.ts';
import { type Refusal, toRefusals } from '../errors.ts';

/** A payload as its resolver makes it: the changed object, and no refusals yet. */
type Outcome<Payload> = Omit<Payload, 'userErrors' | '__typename'>;

/**
 * Makes a mutation's resolver out of the change itself: expected failures become `userErrors`
 * (design, section 4), everything else stays an error of the field.
 */
export const mutation =
  <Input, Payload extends object>(
    change: (input: Input, context: Context) => Promise<Outcome<Payload>>,
  ) =>
  async (
    _root: unknown,
    { input }: { readonly input: Input },
    context: Context,
  ): Promise<Outcome<Payload> & { readonly userErrors: readonly Refusal[] }> => {
    try {
      return { ...(await change(input, context)), userErrors: [] };
    } catch (error) {
      const userErrors = toRefusals(error);
      if (userErrors === undefined) throw error;
      // Every member of a payload but userErrors is nullable, so refusals alone are a payload.
      return { userErrors } as Outcome<Payload> & { readonly userErrors: readonly Refusal[] };
    }
  };
