import { isPropagated, type Outcome } from './compare.ts';
import type { RandomDocument } from './operation.ts';

/** A random document with what its requests gave. */
export interface Sample {
  readonly random: RandomDocument;
  readonly outcomes: readonly Outcome[];
}

interface Feature {
  readonly title: string;
  /** Of so many in a thousand documents it has to hold. */
  readonly least: number;
  readonly holds: (sample: Sample) => boolean;
}

const gives =
  (test: (result: Outcome['result']) => unknown): Feature['holds'] =>
  ({ outcomes }) =>
    outcomes.some(({ result }) => test(result));

const says = (least: number, part: string): Feature => ({
  title: `an error with "${part}"`,
  least,
  holds: gives(({ errors }) => errors?.some(({ message }) => message.includes(part))),
});

const writes = (least: number, pattern: RegExp): Feature => ({
  title: String(pattern),
  least,
  holds: ({ random }) => pattern.test(random.text),
});

/** Whether both values of a variable that decides on a selection led to data. */
const decidesBothWays = ({ random, outcomes }: Sample): boolean =>
  [...random.text.matchAll(/\(if: \$(\w+)\)/g)].some(([, name = '']) => {
    const values = random.requests
      .filter((_, index) => outcomes[index]?.result.data)
      .map(({ variableValues }) => Object.entries(variableValues ?? {}))
      .map((entries) => entries.find(([key]) => key === name)?.[1]);
    return values.includes(true) && values.includes(false);
  });

const calls = (pattern: RegExp, { outcomes }: Sample): boolean =>
  outcomes.some((outcome) => outcome.calls.some((call) => pattern.test(call)));

/** What the random documents and worlds have to have, or the comparison would be an empty one. */
export const features: readonly Feature[] = [
  { title: 'only data', least: 300, holds: gives(({ data, errors }) => data && !errors) },
  { title: 'data and errors', least: 200, holds: gives(({ data, errors }) => data && errors) },
  { title: 'data that is null', least: 100, holds: gives(({ data }) => data === null) },
  { title: 'no data', least: 50, holds: gives(({ data }) => data === undefined) },
  {
    title: 'an error that nulls a parent',
    least: 50,
    holds: gives(({ data, errors }) => data && errors?.some((error) => isPropagated(error, data))),
  },
  {
    title: 'several errors',
    least: 50,
    holds: gives(({ data, errors = [] }) => data && errors.length > 2),
  },
  { title: 'both values of a condition', least: 200, holds: decidesBothWays },
  {
    title: 'objects of several types',
    least: 50,
    holds: (sample) => calls(/ Apple\./, sample) && calls(/ (Brick|Cloud)\./, sample),
  },
  {
    title: 'objects at a depth of three',
    least: 50,
    holds: (sample) => calls(/^(\/\w+:\w+(\/:\d+)*){3}/, sample),
  },
  { title: 'merged fields', least: 50, holds: (sample) => calls(/ from \d+,/, sample) },
  says(20, 'Cannot return null for non-nullable field'),
  says(20, 'Expected Iterable'),
  says(20, 'cannot represent'),
  says(1, 'to return non-nullable value'),
  says(1, 'must resolve to an Object type at runtime'),
  says(1, 'does not exist inside the schema'),
  says(1, 'was resolved to a non-object type'),
  says(1, 'is not a possible type'),
  says(10, 'Unexpected error value'),
  says(10, 'Unknown operation named'),
  says(2, 'Must provide operation name'),
  says(10, 'got invalid value'),
  says(1, 'of required type'),
  says(1, 'Argument "if" of non-null type'),
  says(1, 'has invalid value'),
  writes(100, /^mutation/m),
  writes(20, /__schema/),
  writes(20, /__type\(/),
  writes(50, /__proto__: /),
  writes(100, /\.\.\.\w+/),
  writes(100, /\.\.\. \{/),
  writes(100, /@skip\(if: (true|false)\) @include/),
  writes(20, /choice: \{/),
  writes(20, /json: \{a: \$/),
  writes(20, /shared\d/),
];
