import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The gateway that the page's own server passes /graphql on to.
  server: {
    proxy: {
      '/graphql': { target: process.env.GATEWAY ?? 'http://127.0.0.1:4000', changeOrigin: true },
    },
  },
  // Only start.ts gives the sandbox's credentials; a build never has any.
  define: { __DEMO_CREDENTIALS__: 'undefined' },
});
