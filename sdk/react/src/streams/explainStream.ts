import { ParleyError } from '@parley/sdk';
import { explain, type Problem } from '../problems/explain.ts';
import { english, type Words } from '../words/english.ts';

/** Explains why an action on a stream failed. */
export function explainStream(error: unknown, words: Words = english): Problem {
  const problem = explain(error, words.problems);
  if (!(error instanceof ParleyError)) return problem;
  const isUnknown = error.code === 'NOT_FOUND' && !(error.cause instanceof DOMException);
  const { problems } = words.streams;
  const explanation = problems[error.reason] ?? (isUnknown ? problems['not_found'] : undefined);
  return explanation
    ? { ...problem, title: explanation[0], advice: explanation[1], canRetry: false }
    : problem;
}
