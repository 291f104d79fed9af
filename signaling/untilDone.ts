/** The maximum number of attempts. After that, maintenance repairs what is left. */
const attempts = 20;

/**
 * Retries until `run` succeeds, for what nobody asks for again if it fails because the database was unavailable.
 * @param onFailed called for each failed attempt
 */
export async function untilDone(
  run: () => Promise<void>,
  onFailed: (err: unknown, attempt: number) => void,
): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await run();
    } catch (err) {
      onFailed(err, attempt);
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  }
}
