import { ParleyError } from '@parley/sdk';
import { explain, type Problem } from '../problems/explain.ts';
import type { Words } from '../words/english.ts';

/** Explains why a room could not be opened or joined. */
export function explainRoom(error: unknown, { problems, roomProblems }: Words): Problem {
  const explanations = { ...problems, ...roomProblems };
  if (isUnknownRoom(error))
    explanations['NOT_FOUND'] = explanations['VALIDATION_ERROR'] = roomProblems.no_room;
  const problem = explain(error, explanations);
  return problem.code === 'ROOM_FULL' ? { ...problem, canRetry: true } : problem;
}

/** Whether there is no room with the id in the link, for example because the link is incomplete. */
function isUnknownRoom(error: unknown): boolean {
  if (!(error instanceof ParleyError) || error.cause instanceof DOMException) return false;
  const isMalformedId = (error.details ?? []).some(({ path }) => path === 'roomId');
  return error.code === 'NOT_FOUND' || (error.code === 'VALIDATION_ERROR' && isMalformedId);
}
