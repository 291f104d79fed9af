import { createReadStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { parse } from 'csv-parse';

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

/** Reads a CSV file whose first line names the columns. An invalid line becomes an empty record and does not end the import. */
function readCsv(file: Readable): AsyncIterable<unknown> {
  const parser = parse({
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longestLine,
  });
  file.on('error', (error) => parser.destroy(error));
  return file.pipe(parser) as AsyncIterable<unknown>;
}

async function* readJson(file: Readable): AsyncIterable<unknown> {
  let rest = '';
  let isTooLong = false;
  file.setEncoding('utf8');
  for await (const chunk of file as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield isTooLong ? null : parsed(line);
      isTooLong = false;
    }
    if (rest.length > longestLine) {
      isTooLong = true;
      rest = '';
    }
  }
  if (rest.trim() !== '' || isTooLong) yield isTooLong ? null : parsed(rest);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
