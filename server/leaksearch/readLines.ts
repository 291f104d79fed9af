import { createReadStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';

const longestLine = 64 * 1024;

/**
 * Reads a CSV or NDJSON file record by record, with a bounded amount of memory.
 * @param onRead called with the size of each chunk that was read
 */
export function readLines(path: string, onRead: (bytes: number) => void): AsyncIterable<unknown> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const counted = file.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        onRead(chunk.length);
        done(null, chunk);
      },
    }),
  );
  file.on('error', (error) => counted.destroy(error));
  return /\.csv$/i.test(path) ? readCsv(counted) : readJson(counted);
}

/**
 * Reads a CSV file whose first line names the columns. A record is one line, so that a stray quote spoils only its own line. An invalid line
 * becomes an empty record and does not end the import.
 */
async function* readCsv(file: Readable): AsyncIterable<unknown> {
  let names: string[] | null = null;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      if (line === '' || line === '\r') continue;
      const fields = line === null ? null : fieldsOf(line);
      if (names) yield fields && Object.fromEntries(names.map((name, index) => [name, fields[index]]));
      else if (fields)
        names = fields.map((name) =>
          name
            .replace(/^\uFEFF/, '')
            .trim()
            .toLowerCase(),
        );
      else throw new Error('the first line of the file does not name the columns');
    }
  }
}

/** The fields of a CSV line; null if it is not valid. */
function fieldsOf(line: string): string[] | null {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  // Most lines have no quotes, and there are millions of them: the parser takes many times as long.
  if (!text.includes('"')) return text.split(',');
  try {
    const [fields = null] = parse(text, { record_delimiter: '\n', bom: true, relax_quotes: true });
    return fields;
  } catch {
    return null;
  }
}

async function* readJson(file: Readable): AsyncIterable<unknown> {
  for await (const lines of linesOf(file))
    for (const line of lines) yield line === null ? null : parsed(line);
}

/** The lines of each chunk; null for a line that is too long. */
async function* linesOf(file: Readable): AsyncIterable<(string | null)[]> {
  let rest = '';
  let isTooLong = false;
  file.setEncoding('utf8');
  for await (const chunk of file as AsyncIterable<string>) {
    const lines: (string | null)[] = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (isTooLong && lines.length > 0) {
      lines[0] = null;
      isTooLong = false;
    }
    yield lines;
    if (rest.length > longestLine) {
      isTooLong = true;
      rest = '';
    }
  }
  if (rest.trim() !== '' || isTooLong) yield [isTooLong ? null : rest];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
