export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

/** A promise that is settled from outside. Node.js 20 lacks Promise.withResolvers(). */
export function deferred<T>(): Deferred<T> {
  const made: Partial<Deferred<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }));
  return { ...(made as Deferred<T>), promise };
}
