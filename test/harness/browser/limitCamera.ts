/**
 * Runs in the page: limits the camera to a small video, which two cores can encode, or removes it. Notes the devices that the page opens in
 * `localStorage.devicesAsked`.
 */
export function limitCamera(cameras: number): void {
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  // The initial empty page has no mediaDevices.
  if (!devices) return;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async ({ audio, video }: MediaStreamConstraints = {}) => {
    const asked = JSON.parse(localStorage.getItem('devicesAsked') ?? '[]') as string[];
    const kinds = [audio && 'audio', video && 'video'].filter(Boolean).join('+');
    localStorage.setItem('devicesAsked', JSON.stringify([...asked, kinds]));
    if (video && cameras === 0) throw new DOMException('Requested device not found', 'NotFoundError');
    const small = { ...(typeof video === 'object' ? video : {}), width: 320, height: 180, frameRate: 10 };
    return open({ audio: audio ?? false, video: video ? small : false });
  };
}
