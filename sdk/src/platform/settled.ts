/** Waits until all of these have succeeded or failed. The engine of React Native has no Promise.allSettled() in some versions. */
export async function settled(promises: Promise<unknown>[]): Promise<void> {
  const ignore = () => undefined;
  await Promise.all(promises.map((promise) => promise.then(ignore, ignore)));
}
