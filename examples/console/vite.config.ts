import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The page's own server passes /graphql to this gateway.
  server: {
    // A new build of the client package would reload the page, and so sign its users out. It is used after the next start.
    watch: { ignored: ['**/client/dist/**'] },
    proxy: {
      '/graphql': { target: process.env.GATEWAY ?? 'http://127.0.0.1:4000', changeOrigin: true },
    },
  },
  // Only start.ts sets the sandbox's credentials; a build never contains any.
  define: { __DEMO_CREDENTIALS__: 'undefined' },
});
