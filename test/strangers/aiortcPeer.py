"""A WHEP player or WHIP publisher on aiortc: play <url> | publish <url> <key> <VP8|H264>."""

import asyncio
import fractions
import sys

import av
from aiortc import RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack, MediaStreamError, VideoStreamTrack
from report import Report

report = Report()


class Video(VideoStreamTrack):
    """A 320x180 video whose brightness changes."""

    async def recv(self):
        pts, time_base = await self.next_timestamp()
        frame = av.VideoFrame(320, 180, "yuv420p")
        for plane in frame.planes:
            plane.update(bytes([(pts // 3000 * 5) % 200 + 20]) * plane.buffer_size)
        frame.pts, frame.time_base = pts, time_base
        await asyncio.sleep(0.04)
        return frame


class Tone(AudioStreamTrack):
    """An audio track with a square wave, because aiortc's own track is silent."""

    async def recv(self):
        frame = await super().recv()
        for plane in frame.planes:
            period = b"\x00\x20" * 20 + b"\x00\xe0" * 20
            plane.update((period * plane.buffer_size)[: plane.buffer_size])
        return frame


async def count(track):
    while True:
        try:
            await track.recv()
        except MediaStreamError:
            # The server has closed the connection, but the connection's state would change only when ICE fails, half a minute later.
            report.over.set()
            return
        if track.kind == "audio":
            report.seen["packets"] += 1
        else:
            report.seen["frames"] += 1


def codec_of(connection):
    for transceiver in connection.getTransceivers():
        if transceiver.kind == "video":
            decoders = getattr(transceiver.receiver, "_RTCRtpReceiver__codecs", {})
            return ",".join(codec.mimeType for codec in decoders.values() if "rtx" not in codec.mimeType)
    return ""


async def main():
    mode, url, *rest = sys.argv[1:]
    connection = RTCPeerConnection()
    tasks = []

    @connection.on("track")
    def on_track(track):
        tasks.append(asyncio.ensure_future(count(track)))

    @connection.on("connectionstatechange")
    def on_state():
        report.seen["state"] = connection.connectionState
        if connection.connectionState in ("closed", "failed"):
            report.over.set()

    if mode == "play":
        connection.addTransceiver("audio", direction="recvonly")
        connection.addTransceiver("video", direction="recvonly")
    else:
        connection.addTransceiver(Tone(), direction="sendonly")
        video = connection.addTransceiver(Video(), direction="sendonly")
        known = RTCRtpSender.getCapabilities("video").codecs
        video.setCodecPreferences([codec for codec in known if codec.mimeType == "video/" + rest[1]])
    await connection.setLocalDescription(await connection.createOffer())
    key = rest[0] if rest else None
    offer = connection.localDescription.sdp
    answer = await asyncio.get_event_loop().run_in_executor(None, report.post, url, key, offer)
    if answer is not None:
        await connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    while not report.over.is_set():
        report.show()
        await asyncio.sleep(0.25)
    report.show()
    await connection.close()


asyncio.run(main())
