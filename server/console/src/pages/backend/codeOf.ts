import type { NewRoomToken, NewStreamToken } from '@parley/sdk';

/** A participant token that was created on this page, and what it was created from. */
export interface Tried {
  kind: 'rooms' | 'streams';
  /** The id of the room or stream. */
  subjectId: string;
  /** The name of the room if it was created too; null otherwise. */
  newRoom: string | null;
  wanted: NewRoomToken | NewStreamToken;
  token: string;
}

export type Language = 'node' | 'curl';

type Example = Omit<Tried, 'token'>;

/** The code of a backend that creates a token, and its room if that was created too. */
export const codeOf = (language: Language, example: Example, origin: string): string =>
  language === 'node' ? node(example, origin) : curl(example, origin);

function node({ kind, subjectId, newRoom, wanted }: Example, origin: string): string {
  const room =
    newRoom === null ? '' : `const room = await client.rooms.create(${literal({ name: newRoom })});\n`;
  return `import { Parley } from '@parley/sdk';

const client = new Parley({ baseUrl: '${origin}', auth: { apiKey: process.env.PARLEY_KEY } });
${room}const { token } = await client.${kind}.createToken(${newRoom === null ? `'${subjectId}'` : 'room.id'}, ${literal(wanted)});
console.log(\`${origin}/join#token=\${token}\`);`;
}

function curl({ kind, subjectId, newRoom, wanted }: Example, origin: string): string {
  const post = (path: string, body: object) =>
    `curl -fsS -H "Authorization: Bearer $PARLEY_KEY" \\
  --json '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}' \\
  ${origin}/api/v1${path}`;
  const token = post(`/${kind}/${newRoom === null ? subjectId : 'ID_OF_THE_ROOM'}/tokens`, wanted);
  return newRoom === null ? token : `${post('/rooms', { name: newRoom })}\n\n${token}`;
}

/** An object as one writes it in JavaScript, without quotes around its keys. */
const literal = (value: object) =>
  `{\n${Object.entries(value)
    .map(([key, each]) => `  ${key}: ${JSON.stringify(each)},`)
    .join('\n')}\n}`;
