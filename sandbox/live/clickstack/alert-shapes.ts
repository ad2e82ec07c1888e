import { anything, integer, list, type Of, object, oneOf, type Reader, text } from '../../rules.ts';
import {
  type LiveAlert,
  optionalMembers,
  requiredMembers,
  someOf,
} from '../observability/alert-shapes.ts';
import { objectId } from '../observability/object-id.ts';

const kind = object({ type: oneOf('email', 'webhook') }, {});
const email = object({ type: oneOf('email'), emailRecipients: list(text, 1) }, {});
const webhook = object(
  { type: oneOf('webhook'), webhookId: objectId },
  {
    webhookService: text,
    slackChannelId: text,
    severity: oneOf('critical', 'error', 'warning', 'info'),
  },
);

/** Where notifications are sent. */
export type StackChannel = Of<typeof email> | Of<typeof webhook>;

const channel: Reader<StackChannel> = (value, at) =>
  kind(value, at).type === 'email' ? email(value, at) : webhook(value, at);

/** The body of POST and PUT alerts. */
export const stackAlertShape = object(requiredMembers, {
  ...optionalMembers,
  channel,
  channels: someOf(channel),
  source: oneOf('tile', 'saved_search', 'inline'),
  chartConfig: anything,
  tags: list(text),
  // In no description: a body without it resets it.
  evaluationDelaySeconds: integer,
});

/** An alert of a ClickStack. Members that HyperDX omits are null in answers. */
export type StackAlert = Omit<LiveAlert, 'source' | 'channel' | 'channels'> & {
  readonly source: 'tile' | 'saved_search' | 'inline';
  readonly channels: readonly StackChannel[];
  /** The chart of an inline alert; lists omit it. */
  readonly chartConfig?: unknown;
  readonly tags: readonly string[];
  readonly evaluationDelaySeconds?: number;
};
