import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import type { StreamQuality } from '@parley/sdk';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import type { VideoSource } from '../../streams/StudioController.ts';
import { useStudio } from '../../streams/useStudio.ts';
import { Section } from '../../ui/Section.tsx';
import { DeviceCheck } from '../rooms/DeviceCheck.tsx';
import { useDevices } from '../rooms/useDevices.ts';
import classes from './StreamsPage.module.css';

const qualities: { value: StreamQuality; label: string }[] = [
  { value: '720p', label: '720p: needs 2.5 Mbit/s up' },
  { value: '1080p', label: '1080p: needs 4.5 Mbit/s up' },
  { value: '4k', label: '4K: needs 13 Mbit/s up' },
];

/** How one looks and sounds, what is to be sent, and the button. */
export function GoLive({ onCancel, onLive }: { onCancel: () => void; onLive: () => void }) {
  const { controller, state } = useStudio();
  const [picture, setPicture] = useState<VideoSource>('camera');
  const [quality, setQuality] = useState<StreamQuality>('1080p');
  const devices = useDevices({
    setDevice: controller.setDevice,
    hasVideo: picture === 'camera',
    hasAudio: true,
    isPaused: state.sending === 'starting',
  });
  const goLive = async () => {
    // The camera is free for the stream.
    const { audio, video } = devices.release();
    const isBlind = picture === 'camera' && !video;
    await controller.goLive({ picture: isBlind ? 'none' : picture, audio, quality });
    if (controller.isSending) onLive();
  };
  return (
    <Section
      title="Go live from this browser"
      testId="go-live"
      tools={
        <>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button
            leftSection={<IconBroadcast size={18} />}
            loading={state.sending === 'starting'}
            onClick={() => void goLive()}
            data-testid="go-live-now"
          >
            Go live
          </Button>
        </>
      }
    >
      <div className={classes['fields']}>
        <SegmentedControl
          aria-label="Video source"
          value={picture}
          onChange={(value) => setPicture(value)}
          data={[
            { value: 'camera', label: 'Camera' },
            { value: 'screen', label: 'Screen' },
            { value: 'none', label: 'Audio only' },
          ]}
          data-testid="live-picture"
        />
        {picture !== 'none' && (
          <NativeSelect
            label="Quality"
            description={
              picture === 'screen'
                ? 'Next, the browser asks you to choose a screen, a window or a tab.'
                : 'Viewers with a slow connection automatically get a lower resolution.'
            }
            data={qualities}
            value={quality}
            onChange={({ currentTarget }) => setQuality(currentTarget.value as StreamQuality)}
            data-testid="live-quality"
          />
        )}
        <DeviceCheck devices={devices} hasVideo={picture === 'camera'} />
      </div>
    </Section>
  );
}
