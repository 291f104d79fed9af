/** All problems of the configuration in one message. */
export class ConfigError extends Error {
  /** One sentence or two for each, beginning with the name of the setting. */
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nnpm start -- --help lists every setting.`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
