import { DeviceCheck, useDevicePreview } from '@parley/react';
import { Button, NativeSelect, SegmentedControl, Stack } from '@mantine/core';
import type { StreamQuality } from '@parley/sdk';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import type { VideoSource } from '../../streams/StudioController.ts';
import { useStudio } from '../../streams/useStudio.ts';
import { Section } from '../../ui/Section.tsx';

const qualities: { value: StreamQuality; label: string }[] = [
  { value: '720p', label: '720p: needs 2.5 Mbit/s up' },
  { value: '1080p', label: '1080p: needs 4.5 Mbit/s up' },
  { value: '4k', label: '4K: needs 13 Mbit/s up' },
];

/** Lets the host choose the video source and quality, previews the devices and starts to stream. */
export function GoLive({ onCancel, onLive }: { onCancel: () => void; onLive: () => void }) {
  const { controller, state } = useStudio();
  const [source, setSource] = useState<VideoSource>('camera');
  const [quality, setQuality] = useState<StreamQuality>('1080p');
  const devices = useDevicePreview({
    setDevice: controller.setDevice,
    hasVideo: source === 'camera',
    hasAudio: true,
    isPaused: state.sending === 'starting',
  });
  const goLive = async () => {
    // Closes the camera, so that the stream can open it.
    const { audio, video } = devices.release();
    const hasNoCamera = source === 'camera' && !video;
    await controller.goLive({ source: hasNoCamera ? 'none' : source, audio, quality });
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
      <Stack gap="1.125rem">
        <SegmentedControl
          aria-label="Video source"
          value={source}
          onChange={(value) => setSource(value)}
          data={[
            { value: 'camera', label: 'Camera' },
            { value: 'screen', label: 'Screen' },
            { value: 'none', label: 'Audio only' },
          ]}
          data-testid="live-source"
        />
        {source !== 'none' && (
          <NativeSelect
            label="Quality"
            description={
              source === 'screen'
                ? 'Next, the browser asks you to choose a screen, a window or a tab.'
                : 'Viewers with a slow connection automatically get a lower resolution.'
            }
            data={qualities}
            value={quality}
            onChange={({ currentTarget }) => setQuality(currentTarget.value as StreamQuality)}
            data-testid="live-quality"
          />
        )}
        <DeviceCheck
          devices={devices}
          kinds={source === 'camera' ? ['microphone', 'camera'] : ['microphone']}
          own={controller.address}
        />
      </Stack>
    </Section>
  );
}
