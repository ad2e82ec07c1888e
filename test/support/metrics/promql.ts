import { parser } from '@prometheus-io/lezer-promql';
import type { Labels } from './scrape.ts';

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What an expression asks for: the samples of one name whose labels match. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

/** An expression of PromQL, as far as it depends on what there is. */
export interface Expression {
  readonly selectors: readonly Selector[];
  /** The labels that it groups by. */
  readonly grouping: readonly string[];
}

/** Takes an expression apart by Prometheus' own grammar. Throws where it is none. */
export const parseExpression = (text: string): Expression => {
  const selectors: { readonly name: string; readonly matchers: Matcher[] }[] = [];
  const grouping: string[] = [];
  let isGrouping = false;
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const found = text.slice(from, to);
      if (type.isError) throw new SyntaxError(`no PromQL at ${from}: ${text}`);
      if (type.name === 'GroupingLabels') isGrouping = true;
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        selectors.push({ name: name ? text.slice(name.from, name.to) : '', matchers: [] });
      }
      if (type.name === 'LabelName' && isGrouping) grouping.push(found);
      if (type.name === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] =
          /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/s.exec(found) ?? [];
        selectors.at(-1)?.matchers.push({ label, operator, value });
      }
    },
    leave: ({ type }) => {
      if (type.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, grouping };
};

const isMatch = (given: string, { operator, value }: Matcher): boolean => {
  const isRegular = operator.endsWith('~');
  const fits = isRegular ? new RegExp(`^(?:${value})$`).test(given) : given === value;
  return operator.startsWith('!') ? !fits : fits;
};

/** Whether the labels are among those that are asked for; one that is not there matches nothing. */
export const areMatching = (labels: Labels, matchers: readonly Matcher[]): boolean =>
  matchers.every((matcher) => {
    const given = labels[matcher.label];
    return given !== undefined && isMatch(given, matcher);
  });
