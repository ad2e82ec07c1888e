import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createSluiceClient } from './client.ts';

// The page and the gateway share an origin here. A real page would ask its user to log in.
const stored = (key: string) => () => sessionStorage.getItem(key);

const client = createSluiceClient({
  url: '/graphql',
  management: stored('Management-Authorization'),
  observability: stored('Observability-Authorization'),
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root');
createRoot(root).render(
  <StrictMode>
    <App client={client} />
  </StrictMode>,
);
