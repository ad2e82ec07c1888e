import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { Rate, Standing } from './limits.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './routes.ts';

/** Who calls, and how the credential fails where it does so on purpose. */
export type Admitted<Caller> = { readonly caller: Caller; readonly fault: Fault | undefined };

/** A REST interface: its routes, and how it recognises callers, limits them and words its answers. */
export type RestInterface<Caller> = {
  readonly routes: readonly Route<Caller>[];
  /** Judges the credential; throws a Refusal of status 401 or 403. */
  readonly authenticate: (request: IncomingMessage) => Admitted<Caller>;
  readonly succeed: (payload: unknown) => Answer;
  readonly refuse: (refusal: Refusal) => Answer;
  /** What a request outside the routes gets; a plain-text 404 by default. */
  readonly outsideRoutes?: () => Answer;
  /** What each credential may ask for. */
  readonly rate: Rate;
  /** What every answer says of the limit. */
  readonly limitHeaders: (standing: Standing) => Readonly<Record<string, string>>;
  /** The 429 of a credential that has exceeded its limit. */
  readonly tooMany: (standing: Standing) => Answer;
};
