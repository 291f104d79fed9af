import { IconCameraRotate } from '@tabler/icons-react';
import { StageButton } from '../ui/StageButton.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { useFlipCamera } from './useFlipCamera.ts';

/** A round button on a dark stage that switches to the next camera, on phones. */
export function FlipCamera({ isShown }: { isShown: boolean }) {
  const words = useWords().devices;
  const flip = useFlipCamera();
  if (!isShown || !flip) return null;
  return (
    <StageButton label={words.flipCamera} onClick={flip} data-testid="flip-camera">
      <IconCameraRotate aria-hidden />
    </StageButton>
  );
}
