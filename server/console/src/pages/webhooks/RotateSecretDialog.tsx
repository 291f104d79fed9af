import type { Action } from '../../data/useAction.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

interface Props<Result> {
  action: Action<[], Result>;
  onClose: () => void;
  onDone: (changed: Result) => void;
  testId: string;
}

/** Asks whether to create a new secret for a webhook. */
export function RotateSecretDialog<Result>(props: Props<Result>) {
  return (
    <ConfirmDialog title="Create a new secret?" label="Create secret" isDangerous={false} {...props}>
      For one day, events are signed with both secrets, so that you can replace the one on your server without
      losing an event. After that, the old secret is invalid.
    </ConfirmDialog>
  );
}
