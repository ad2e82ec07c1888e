import { get, type Identified } from '../../operation.ts';
import { type InStack, inStack } from '../clickstack.ts';
import { inHyperdx } from '../row-parts.ts';

/** Not in the documented interface. The webhook's address is a secret, and is not read. */
export type WebhookRecord = Identified<{
  name: string;
  service: string;
  description: string;
  createdAt: string;
  updatedAt: string;
}> &
  InStack;

export const rows = {
  listWebhooks: inHyperdx(
    get('/api/v2/webhooks', { freshSeconds: 30 }).list<WebhookRecord>(inStack()),
  ),
};
