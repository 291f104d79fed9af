import { prettyFactory } from 'pino-pretty';

/** What all processes say, each line with the name of who says it. */
export class Output {
  readonly #width: number;
  readonly #pretty: ((line: string) => string) | null;

  /** @param names of all who will say something */
  constructor(names: string[], { isPretty }: { isPretty: boolean }) {
    this.#width = Math.max(...names.map((name) => name.length));
    this.#pretty = isPretty
      ? prettyFactory({
          colorize: process.stdout.isTTY === true,
          translateTime: 'HH:MM:ss.l',
          ignore: 'pid,hostname',
          singleLine: true,
        })
      : null;
  }

  /** A line as it is. */
  say(name: string, line: string): void {
    process.stdout.write(`${name.padEnd(this.#width)} | ${line}\n`);
  }

  /** A node's line: its log is JSON, and what else it prints is the greeting of one that runs alone. */
  sayLogged(name: string, line: string): void {
    if (!line.startsWith('{')) return;
    const text = this.#pretty ? this.#pretty(line).trimEnd() : line;
    for (const part of text.split('\n')) this.say(name, part);
  }
}
