import { type Client, Provider } from 'urql';
import { Dashboards } from './dashboards.tsx';
import { Organizations } from './organizations.tsx';

export const App = ({ client }: { readonly client: Client }) => (
  <Provider value={client}>
    <Organizations />
    <Dashboards />
  </Provider>
);
