/** The changes without the fields that are undefined, which stay as they are. */
export const defined = <Changes extends object>(changes: Changes) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Changes]?: Exclude<Changes[Name], undefined>;
  };
