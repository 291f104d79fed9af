import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './{platform,server,signaling,media}/**/tables.ts',
  out: './platform/database/migrations',
});
