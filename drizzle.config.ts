import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './{server,signaling,media}/**/tables.ts',
  out: './server/migrations',
});
