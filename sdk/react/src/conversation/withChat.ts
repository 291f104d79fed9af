interface ChatEntry {
  message: { id: string; timestamp: Date };
}

/** Adds messages that are not known yet, in order of time. */
export function withChat<One extends ChatEntry>(known: One[], ...said: One[]): One[] {
  const ids = new Set(known.map(({ message }) => message.id));
  const fresh = said.filter(({ message }) => !ids.has(message.id));
  if (fresh.length === 0) return known;
  return [...known, ...fresh].sort((one, other) => +one.message.timestamp - +other.message.timestamp);
}
