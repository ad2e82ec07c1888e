import { Suspense } from 'react';
import { RelayEnvironmentProvider } from 'react-relay';
import type { Environment } from 'relay-runtime';
import { Boundary } from './boundary.tsx';
import { Dashboards } from './Dashboards.tsx';
import { Organizations } from './Organizations.tsx';

const loading = <p>Loading …</p>;

export const App = ({ environment }: { readonly environment: Environment }) => (
  <RelayEnvironmentProvider environment={environment}>
    <Boundary>
      {(attempt) => (
        <Suspense fallback={loading}>
          <Organizations attempt={attempt} />
        </Suspense>
      )}
    </Boundary>
    <Boundary>
      {(attempt) => (
        <Suspense fallback={loading}>
          <Dashboards attempt={attempt} />
        </Suspense>
      )}
    </Boundary>
  </RelayEnvironmentProvider>
);
