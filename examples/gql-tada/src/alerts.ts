import type { Client } from '@urql/core';
import { dataOf } from './client.ts';
import {
  type FragmentOf,
  graphql,
  type ResultOf,
  readFragment,
  type VariablesOf,
} from './graphql.ts';
import { reasonsOf, refusal } from './refusals.ts';

export const alertLine = graphql(`
  fragment AlertLine on Alert {
    id
    name
    state
    threshold
    thresholdType
  }
`);

export const dashboardTree = graphql(
  `
    query DashboardTree {
      dashboards {
        id
        name
        tiles {
          id
          name
          alerts {
            ...AlertLine
          }
        }
      }
    }
  `,
  [alertLine],
);

export const updateAlert = graphql(
  `
    mutation UpdateAlert($input: UpdateAlertInput!) {
      updateAlert(input: $input) {
        alert {
          ...AlertLine
        }
        userErrors {
          ...Refusal
        }
      }
    }
  `,
  [alertLine, refusal],
);

type Side = NonNullable<ResultOf<typeof alertLine>['thresholdType']>;

const sides: Readonly<Record<Side, string>> = {
  ABOVE: 'above',
  BELOW: 'below',
  ABOVE_EXCLUSIVE: 'above, and not at,',
  BELOW_OR_EQUAL: 'at most at',
  EQUAL: 'at',
  NOT_EQUAL: 'anywhere but at',
  BETWEEN: 'in a range from',
  NOT_BETWEEN: 'outside a range from',
  UNKNOWN: 'on an unknown side of',
};

/** An alert in one line: name, state, and when it fires. */
export const describeAlert = (alert: FragmentOf<typeof alertLine>): string => {
  const { name, state, threshold, thresholdType } = readFragment(alertLine, alert);
  const side = sides[thresholdType ?? 'UNKNOWN'];
  return `${name ?? 'unnamed'}: ${state ?? 'state unknown'}, fires ${side} ${threshold ?? '?'}`;
};

/** Changes the given members of an alert. Returns its description, or the reasons why it was not changed. */
export const changeAlert = async (
  client: Client,
  input: VariablesOf<typeof updateAlert>['input'],
): Promise<string> => {
  const result = await client.mutation(updateAlert, { input });
  const { alert, userErrors } = dataOf(result).updateAlert;
  return alert === null ? reasonsOf(userErrors, result) : describeAlert(alert);
};
