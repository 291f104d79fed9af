/** All problems of the configuration in one message. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nnpm start -- --help lists every setting.`,
    );
    this.name = 'ConfigError';
  }
}
