import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';

/* A process with receivers of webhooks. The first ones answer, the last ones accept connections and never answer. */

/** What the answering receivers have got since they were last asked. */
export interface Arrivals {
  /** The time from the event, as its body says, until its first arrival, in milliseconds. */
  latencies: number[];
  repeated: number;
  unsigned: number;
  /** When the last one arrived, by Date.now(). */
  lastAt: number;
}

const [, , answering = '', hanging = ''] = process.argv;
const nothing = (): Arrivals => ({ latencies: [], repeated: 0, unsigned: 0, lastAt: 0 });
let arrivals = nothing();
const seen = new Set<string>();

function receive(id: string, signature: unknown, body: string): void {
  arrivals.lastAt = Date.now();
  if (typeof signature !== 'string' || !signature.startsWith('v1,')) arrivals.unsigned++;
  if (seen.has(id)) arrivals.repeated++;
  else
    arrivals.latencies.push(
      arrivals.lastAt - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp),
    );
  seen.add(id);
}

const answers = (): Server =>
  createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { 'webhook-id': id, 'webhook-signature': signature } = request.headers;
      receive(String(id), signature, body);
      response.writeHead(204).end();
    });
  });

async function urlOf(server: ReturnType<typeof createTcpServer>): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const servers = [
  ...Array.from({ length: Number(answering) }, answers),
  ...Array.from({ length: Number(hanging) }, () =>
    createTcpServer((socket) => socket.on('error', () => {}).resume()),
  ),
];
const urls = await Promise.all(servers.map(urlOf));
process.on('message', () => {
  process.send?.(arrivals);
  arrivals = nothing();
});
process.on('disconnect', () => process.exit());
process.send?.(urls);
