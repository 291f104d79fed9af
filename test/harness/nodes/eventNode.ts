import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createIo } from '../../../signaling/socket/createIo.ts';
import { redisAdapter } from '../../../platform/internals/socketIo/redisAdapter.ts';
import { eventCipher } from '../../../server/compose/eventCipher.ts';
import { openRedis } from '../../../platform/redis.ts';
import { onlyKey } from '../../../platform/keys.ts';

/*
 * A program that uses the Redis adapter for events. When it reads a line from standard input, it closes its connection to Redis. Tests
 * expect that nothing then keeps it from exiting.
 */

const log = pino({ level: 'silent' });
const redis = await openRedis({ url: process.argv[2] ?? '', logger: log });
const cipher = eventCipher({ keys: () => onlyKey(Buffer.alloc(32)) });
const io = createIo({
  httpServer: createServer(),
  adapter: redisAdapter({ client: redis.client, cipher, onLost: () => {}, log }),
  isAllowedOrigin: () => true,
  log,
});
const input = createInterface(process.stdin);
input.once('line', () => {
  input.close();
  process.stdin.destroy();
  void io.close().then(() => redis.close());
});
process.stdout.write('open\n');
