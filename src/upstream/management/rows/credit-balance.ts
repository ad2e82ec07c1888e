import { get, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type CreditBalanceRecord = Wire<{
  id: string;
  type: string;
  remainingCredits: number;
  totalAmount: number;
  amountSpent: number;
  startDate: string;
  expirationDate: string;
}>;

export type CreditBalancesRecord = Wire<{
  totalRemainingCredits: number;
  balances: readonly CreditBalanceRecord[];
}>;

export const rows = {
  getCreditBalances: inCloud(
    get('/v1/organizations/{organizationId}/creditBalances', {
      permission: 'control-plane:organization:view-billing',
      freshSeconds: 60,
    }).one<CreditBalancesRecord>(),
  ),
};
