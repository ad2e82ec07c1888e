import { type GraphQLSchema, getIntrospectionQuery, Kind, parse } from 'graphql';
import { noVariables } from '../graphql/variables.ts';
import { executeOperation } from './execute.ts';
import { Run } from './run.ts';

/** An operation may receive as much of the schema as this many standard introspection queries would. */
const standardAnswers = 2;

/** The most characters of the schema that an operation may receive; measured at first use. */
export const createIntrospectionRoom = (schema: GraphQLSchema): (() => number) => {
  let room: number | undefined;

  const measure = (): number => {
    const { definitions } = parse(
      getIntrospectionQuery({
        ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
        ...{ inputValueDeprecation: true, oneOf: true },
      }),
    );
    const fragments = Object.fromEntries(
      definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
      ),
    );
    const operation = definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (!operation) throw new TypeError('The introspection query has an operation');
    const plan = { operation, fragments, root: undefined, grow: () => undefined };
    const run = new Run({ schema, plan, variableValues: noVariables });
    void executeOperation(run);
    return run.size * standardAnswers;
  };

  return () => {
    room ??= measure();
    return room;
  };
};
