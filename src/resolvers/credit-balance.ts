import type {
  CreditBalanceResolvers,
  CreditBalancesResolvers,
  OrganizationResolvers,
} from '../generated/schema.ts';

export const Organization: OrganizationResolvers = {
  creditBalances: ({ id }, _, { upstream }) =>
    upstream.management.getCreditBalances({ organizationId: id }),
};

export const CreditBalances: CreditBalancesResolvers = {
  totalRemainingChc: ({ totalRemainingCredits }) => totalRemainingCredits,
};

export const CreditBalance: CreditBalanceResolvers = {
  remainingChc: ({ remainingCredits }) => remainingCredits,
  grantedChc: ({ totalAmount }) => totalAmount,
  spentChc: ({ amountSpent }) => amountSpent,
  startsAt: ({ startDate }) => startDate,
  expiresAt: ({ expirationDate }) => expirationDate,
};
