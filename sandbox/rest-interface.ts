import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { Rate, Standing } from './limits.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './routes.ts';

/** The caller, and how its credential fails if it does so on purpose. */
export type Admitted<Caller> = { readonly caller: Caller; readonly fault: Fault | undefined };

/** A REST interface: its routes, and how it identifies callers, limits them and words its answers. */
export type RestInterface<Caller> = {
  readonly routes: readonly Route<Caller>[];
  /** Checks the credential; throws a Refusal of status 401 or 403. */
  readonly authenticate: (request: IncomingMessage) => Admitted<Caller>;
  readonly succeed: (payload: unknown) => Answer;
  readonly refuse: (refusal: Refusal) => Answer;
  /** The answer to a request outside the routes; a plain-text 404 by default. */
  readonly outsideRoutes?: (method: string, path: string) => Answer;
  /** The limit of each credential. */
  readonly rate: Rate;
  /** The headers about the limit, for every answer. */
  readonly limitHeaders: (standing: Standing) => Readonly<Record<string, string>>;
  /** The 429 for a credential that has exceeded its limit. */
  readonly tooMany: (standing: Standing) => Answer;
};
