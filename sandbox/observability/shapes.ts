import { shortDuration } from '../formats.ts';
import { anything, decimal, flag, integer, list, type Of, object, oneOf, text } from '../rules.ts';

const tile = object(
  {},
  {
    name: text,
    x: integer,
    y: integer,
    w: integer,
    h: integer,
    asRatio: flag,
    series: list(
      object(
        {},
        { type: text, dataSource: text, aggFn: text, where: text, groupBy: list(anything) },
      ),
    ),
  },
);

/** The body of POST dashboards. A tile's own `id` is ignored: the service assigns it. */
export const createDashboardBody = object({ name: text }, { tiles: list(tile), tags: list(text) });

/** The body of PUT alerts. It replaces the alert: members that are absent here become absent or null. */
export const updateAlertBody = object(
  {},
  {
    threshold: decimal,
    interval: shortDuration,
    thresholdType: oneOf('above', 'below'),
    source: oneOf('tile', 'search'),
    dashboardId: text,
    tileId: text,
    channel: object({}, { type: text, webhookId: text }),
    name: text,
    message: text,
  },
);

type AlertBody = Of<typeof updateAlertBody>;

/** A Tile on the wire. */
export type Tile = { readonly id: string } & Of<typeof tile>;

/** A Dashboard on the wire. */
export type Dashboard = {
  readonly id: string;
  readonly name: string;
  readonly tiles: readonly Tile[];
  readonly tags: readonly string[];
};

/** An Alert on the wire: `dashboard`, `savedSearch` and `team` are identifiers. */
export type Alert = Omit<AlertBody, 'dashboardId' | 'name' | 'message'> & {
  readonly id: string;
  readonly name: string | null;
  readonly message: string | null;
  readonly state: string;
  readonly team: string;
  readonly dashboard?: string;
  readonly savedSearch?: string;
  readonly groupBy?: string;
  readonly silenced: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
};
