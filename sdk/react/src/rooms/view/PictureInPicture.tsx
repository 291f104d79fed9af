import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useParley } from '../../core/ParleyProvider.tsx';
import { useSupport } from '../../core/useSupport.ts';
import { sharing, trackOf } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

const isPictureInPictureEnabled = () => document.pictureInPictureEnabled === true;

interface Picture {
  isPossible: boolean;
  isOn: boolean;
  toggle: () => void;
  /** Must be rendered. It is not visible. */
  video: ReactNode;
}

/** A small window above all others that shows the shared screen, or the person who speaks. */
export function usePictureInPicture(): Picture {
  const { media } = useParley();
  const { participants, spoke, tracks } = useRoomContext();
  const video = useRef<HTMLVideoElement>(null);
  const [isOn, setOn] = useState(false);
  const screen = sharing(participants, tracks);
  const faces = [...spoke, ...participants.map(({ id }) => id)].map((id) => trackOf(tracks, id, 'camera'));
  const track = screen ? trackOf(tracks, screen.id, 'screen') : faces.find((face) => face !== undefined);
  const isSupported = useSupport(isPictureInPictureEnabled);
  useEffect(() => {
    const element = video.current;
    if (!isOn || !element || !track) return;
    element.srcObject = track.stream;
    const source = track.source === 'screen' ? 'screen' : 'camera';
    return media.attach(element, { participant: track.participant.id, source });
  }, [media, isOn, track]);
  useEffect(() => {
    const element = video.current;
    if (!isOn || !element) return;
    const open = () => {
      if (document.pictureInPictureElement === element) return;
      element.requestPictureInPicture().catch(() => setOn(false));
    };
    const close = () => setOn(false);
    element.addEventListener('loadedmetadata', open);
    element.addEventListener('leavepictureinpicture', close);
    return () => {
      element.removeEventListener('loadedmetadata', open);
      element.removeEventListener('leavepictureinpicture', close);
      if (document.pictureInPictureElement === element)
        document.exitPictureInPicture().catch(() => undefined);
    };
  }, [isOn]);
  return {
    isPossible: isSupported && (isOn || track !== undefined),
    isOn,
    toggle: () => setOn(!isOn),
    video: isOn && <video ref={video} className={classes['away']} autoPlay playsInline muted aria-hidden />,
  };
}
