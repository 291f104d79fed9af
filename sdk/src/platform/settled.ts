/** Waits until all of these have succeeded or failed. The engine of React Native has no Promise.allSettled() in some versions. */
export async function settled(promises: Promise<unknown>[]): Promise<void> {
  const ignore = () => undefined;
  await Promise.all(promises.map((promise) => promise.then(ignore, ignore)));
}

/** Like Promise.all(), but waits until all of these have ended, even if one fails. */
export async function allEnded(promises: Promise<unknown>[]): Promise<void> {
  await settled(promises);
  await Promise.all(promises);
}
