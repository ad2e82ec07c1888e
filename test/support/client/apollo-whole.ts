import { ApolloLink } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { EMPTY, expand, switchMap, timer } from 'rxjs';
import type { Progress } from '../../../client/src/index.ts';

/** Sends a query again until nothing is missing, and passes each answer on. */
export const untilWhole = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.QUERY) return forward(operation);
  return forward(operation).pipe(
    expand((answer) => {
      const progress: Progress | undefined = answer.extensions?.progress;
      // Deferred parts follow by themselves.
      if (!progress || 'hasNext' in answer) return EMPTY;
      const seconds = Math.min(10, Math.max(1, progress.completeInSeconds));
      return timer(seconds * 1000).pipe(switchMap(() => forward(operation)));
    }),
  );
});
