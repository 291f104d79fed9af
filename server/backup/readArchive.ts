import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import type { z } from 'zod';
import { CommandError } from '../../platform/CommandError.ts';
import {
  folders,
  formatNumber,
  headName,
  headSchema,
  indexLine,
  manifestName,
  manifestSchema,
  type Head,
  type Manifest,
} from './manifest.ts';

interface ReadOptions {
  /** Called with the first entry, before any other is read. May throw. */
  onHead?: (head: Head) => void;
  /** Called with each entry of the content. It need not read it to the end. */
  onEntry?: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  onProgress?: (bytes: number) => void;
}

type Entry = AsyncIterable<Buffer> & { header: Header };

/**
 * Reads an archive to its end and compares every entry with its SHA-256 in the index.
 * @returns the manifest
 * @throws {CommandError} if the archive is no backup, of a newer format, incomplete or damaged
 */
export async function readArchive(path: string, options: ReadOptions = {}): Promise<Manifest> {
  const entries = extract();
  const file = createReadStream(path);
  file.on('data', (chunk) => options.onProgress?.(chunk.length));
  const flowing = pipeline(file, createGunzip(), entries);
  try {
    const manifest = await readEntries(entries, options);
    await flowing;
    return manifest;
  } catch (error) {
    entries.destroy();
    file.destroy();
    await flowing.catch(() => {});
    throw isBroken(error) ? damaged(path, (error as Error).message) : named(error, path);
  }
}

async function readEntries(
  entries: ReturnType<typeof extract>,
  { onHead, onEntry }: ReadOptions,
): Promise<Manifest> {
  const indexHash = createHash('sha256');
  /** The entries since the last index. */
  let pending: string[] = [];
  let count = 0;
  let manifest: Manifest | null = null;
  for await (const entry of entries as AsyncIterable<Entry>) {
    const { name } = entry.header;
    if (manifest) throw new Damage('an entry follows the manifest');
    if (count === 0 && name !== headName) throw new Damage('it does not start like a backup');
    if (name === manifestName) {
      manifest = parse(manifestSchema, await textOf(entry));
      if (pending.length > 0 || manifest.entries !== count || manifest.indexHash !== indexHash.digest('hex'))
        throw new Damage('entries are missing');
      continue;
    }
    count++;
    if (name.startsWith(folders.index)) {
      const text = await textOf(entry);
      indexHash.update(text);
      const listed = text.trim().split('\n');
      const isSame = listed.length === pending.length && listed.every((line, at) => line === pending[at]);
      if (!isSame) throw new Damage(`an entry before ${name} differs from its SHA-256`);
      pending = [];
      continue;
    }
    const hash = createHash('sha256');
    let size = 0;
    const content = watched(entry, (chunk) => {
      hash.update(chunk);
      size += chunk.length;
    });
    if (name === headName && count === 1) onHead?.(readHead(await textOf(content)));
    else await onEntry?.(name, content);
    // Reads what the handler has left.
    for await (const chunk of content) void chunk;
    pending.push(JSON.stringify(indexLine.parse({ name, size, sha256: hash.digest('hex') })));
  }
  if (!manifest) throw new Damage('it ends too early');
  return manifest;
}

/** Passes chunks on, and can be iterated again for the rest. */
function watched(source: AsyncIterable<Buffer>, onChunk: (chunk: Buffer) => void): AsyncIterable<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const next = async () => {
    const result = await chunks.next();
    if (!result.done) onChunk(result.value);
    return result;
  };
  // Without `return`, leaving a loop does not end the source.
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

function readHead(text: string): Head {
  const { format } = parse(headSchema.pick({ format: true }), text);
  if (format > formatNumber)
    throw new CommandError(
      `The backup has format ${format}, but this release reads formats up to ${formatNumber}. Restore it with the release that wrote it, or a later one.`,
    );
  return parse(headSchema, text);
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parse<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Damage('its description cannot be read');
  }
}

class Damage extends Error {}

const damaged = (path: string, reason: string) =>
  new CommandError(`${path} is damaged or incomplete (${reason}). Nothing was restored. Use another backup.`);

/** Errors of gzip and tar. */
const isBroken = (error: unknown) =>
  error instanceof Damage ||
  /^(Z_|ERR_STREAM_PREMATURE)/.test((error as NodeJS.ErrnoException).code ?? '') ||
  /^(Invalid tar header|Unexpected end|Writable stream closed|Stream was destroyed)/i.test(
    (error as Error).message,
  );

function named(error: unknown, path: string): unknown {
  const { code, path: missing } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && missing === path) return new CommandError(`There is no file ${path}.`);
  if (code === 'EISDIR') return new CommandError(`${path} is a folder. Name the archive.`);
  return error;
}
