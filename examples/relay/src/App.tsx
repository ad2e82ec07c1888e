import { Suspense } from 'react';
import { RelayEnvironmentProvider } from 'react-relay';
import type { Environment } from 'relay-runtime';
import { Dashboards } from './Dashboards.tsx';
import { Organizations } from './Organizations.tsx';

export const App = ({ environment }: { readonly environment: Environment }) => (
  <RelayEnvironmentProvider environment={environment}>
    <Suspense fallback={<p>Loading …</p>}>
      <Organizations />
    </Suspense>
    <Suspense fallback={<p>Loading …</p>}>
      <Dashboards />
    </Suspense>
  </RelayEnvironmentProvider>
);
