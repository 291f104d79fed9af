import type { Tried } from './TriedToken.tsx';

export type Language = 'node' | 'curl';

/** The code of a backend that creates a token, and its room if that was created too. */
export function codeOf(
  language: Language,
  { roomId, newRoom, wanted }: Omit<Tried, 'token'>,
  origin: string,
): string {
  return language === 'node' ? node(roomId, newRoom, wanted, origin) : curl(roomId, newRoom, wanted, origin);
}

function node(roomId: string, newRoom: string | null, wanted: Tried['wanted'], origin: string): string {
  const room =
    newRoom === null ? '' : `const room = await client.rooms.create(${literal({ name: newRoom })});\n`;
  return `import { Parley } from '@parley/sdk';

const client = new Parley({ baseUrl: '${origin}', auth: { apiKey: process.env.PARLEY_KEY } });
${room}const { token } = await client.rooms.createToken(${newRoom === null ? `'${roomId}'` : 'room.id'}, ${literal(wanted)});
console.log(\`${origin}/join#token=\${token}\`);`;
}

function curl(roomId: string, newRoom: string | null, wanted: Tried['wanted'], origin: string): string {
  const post = (path: string, body: object) =>
    `curl -fsS -H "Authorization: Bearer $PARLEY_KEY" \\
  --json '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}' \\
  ${origin}/api/v1${path}`;
  const token = post(`/rooms/${newRoom === null ? roomId : '<id of the room>'}/tokens`, wanted);
  return newRoom === null ? token : `${post('/rooms', { name: newRoom })}\n\n${token}`;
}

/** An object as one writes it in JavaScript, without quotes around its keys. */
const literal = (value: object) =>
  `{\n${Object.entries(value)
    .map(([key, each]) => `  ${key}: ${JSON.stringify(each)},`)
    .join('\n')}\n}`;
