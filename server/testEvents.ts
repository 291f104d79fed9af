import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createIo } from '../signaling/createIo.ts';
import { redisAdapter } from '../signaling/redisAdapter.ts';
import { openRedis } from './redis.ts';

/* A program that carries events through Redis, closes it when told to, and then has to end by itself. */

const redis = await openRedis({ url: process.argv[2] ?? '', logger: pino({ level: 'silent' }) });
const io = createIo({
  httpServer: createServer(),
  adapter: redisAdapter(redis.client, () => {}),
  isAllowedOrigin: () => true,
});
const input = createInterface(process.stdin);
input.once('line', () => {
  input.close();
  process.stdin.destroy();
  void io.close().then(() => redis.close());
});
process.stdout.write('open\n');
