import type { StreamQuality } from '@parley/sdk';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import { DeviceCheck } from '../devices/DeviceCheck.tsx';
import { useDevicePreview } from '../devices/useDevicePreview.ts';
import { Stack } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Segments, Select } from '../ui/Fields.tsx';
import { Section } from '../ui/Section.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { VideoSource } from './StudioController.ts';
import { useStudio } from './useStudio.ts';

/** Lets the host choose the video source and quality, previews the devices and starts to stream. */
export function GoLive({ onCancel, onLive }: { onCancel: () => void; onLive: () => void }) {
  const { controller, state } = useStudio();
  const { streams: words, common } = useWords();
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
  const qualities = Object.entries(words.qualities).map(([value, label]) => ({ value, label }));
  return (
    <Section
      title={words.setUp}
      data-testid="go-live"
      tools={
        <>
          <Button variant="outline" onClick={onCancel}>
            {common.cancel}
          </Button>
          <Button
            icon={<IconBroadcast size={18} aria-hidden />}
            isLoading={state.sending === 'starting'}
            onClick={() => void goLive()}
            data-testid="go-live-now"
          >
            {words.goLive}
          </Button>
        </>
      }
    >
      <Stack>
        <Segments
          label={words.source}
          value={source}
          onChange={(value) => setSource(value as VideoSource)}
          options={[
            { value: 'camera', label: words.camera },
            { value: 'screen', label: words.screen },
            { value: 'none', label: words.audioOnly },
          ]}
          data-testid="live-source"
        />
        {source !== 'none' && (
          <Select
            label={words.quality}
            hint={source === 'screen' ? words.screenNext : words.adapts}
            options={qualities}
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
