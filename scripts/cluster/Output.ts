import { prettyFactory } from 'pino-pretty';

/** Prints the output of all processes, each line with the name of its process. */
export class Output {
  readonly #width: number;
  readonly #pretty: ((line: string) => string) | null;

  /** @param names the names of all processes, for the width of the first column */
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

  /** Prints a line unchanged. */
  print(name: string, line: string): void {
    process.stdout.write(`${name.padEnd(this.#width)} | ${line}\n`);
  }

  /** Prints a line of a node's log. Other output, such as the greeting of a single node, is skipped. */
  printLog(name: string, line: string): void {
    if (!line.startsWith('{')) return;
    const text = this.#pretty ? this.#pretty(line).trimEnd() : line;
    for (const part of text.split('\n')) this.print(name, part);
  }
}
