"""A WHEP player or WHIP publisher on GStreamer's webrtcbin: play <url> | publish <url> <key> <VP8|H264|VP9>."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstWebRTC", "1.0")
gi.require_version("GstSdp", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402
from report import Report  # noqa: E402

report = Report()
Gst.init(None)

AUDIO = (
    "audiotestsrc is-live=true wave=sine ! audioconvert ! opusenc ! rtpopuspay pt=111 ! queue"
    " ! application/x-rtp,media=audio,encoding-name=OPUS,payload=111 ! bin."
)
VIDEO = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=15/1,format=I420 ! queue ! "
ENCODERS = {
    "VP8": "vp8enc deadline=1 keyframe-max-dist=15 ! rtpvp8pay pt=96",
    "VP9": "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=15 ! rtpvp9pay pt=96",
    "H264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! video/x-h264,profile=constrained-baseline"
    " ! rtph264pay config-interval=-1 aggregate-mode=zero-latency pt=96",
}
DECODERS = {
    "OPUS": "rtpopusdepay ! opusdec",
    "VP8": "rtpvp8depay ! vp8dec",
    "VP9": "rtpvp9depay ! vp9dec",
    "H264": "rtph264depay ! h264parse ! avdec_h264",
}
OFFERED = {"VP8": 96, "H264": 102, "VP9": 98}


def published(codec):
    caps = f"application/x-rtp,media=video,encoding-name={codec},payload=96"
    return f"webrtcbin name=bin bundle-policy=max-bundle {AUDIO} {VIDEO}{ENCODERS[codec]} ! queue ! {caps} ! bin."


def add_player_sections(bin):
    receive = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
    audio = "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,encoding-params=(string)2,payload=111"
    bin.emit("add-transceiver", receive, Gst.Caps.from_string(audio))
    videos = []
    for codec, payload in OFFERED.items():
        more = ",packetization-mode=(string)1,profile-level-id=(string)42e01f" if codec == "H264" else ""
        videos.append(
            f"application/x-rtp,media=video,encoding-name={codec},clock-rate=90000,payload={payload}"
            f",rtcp-fb-nack-pli=(boolean)true{more}"
        )
    bin.emit("add-transceiver", receive, Gst.Caps.from_string(";".join(videos)))


def on_pad(_, pad):
    if pad.direction != Gst.PadDirection.SRC:
        return
    caps = pad.get_current_caps() or pad.query_caps()
    form = caps.get_structure(0)
    codec = form.get_string("encoding-name")
    name = "frames"
    if form.get_string("media") == "audio":
        name = "packets"
    else:
        report.seen["codec"] = "video/" + codec
    decode = Gst.parse_bin_from_description(f"queue ! {DECODERS[codec.upper()]} ! fakesink name=sink sync=false async=false", True)
    sink = decode.get_by_name("sink")
    sink.set_property("signal-handoffs", True)
    sink.connect("handoff", lambda *_: count(name))
    pipeline.add(decode)
    decode.sync_state_with_parent()
    pad.link(decode.get_static_pad("sink"))


def count(name):
    report.seen[name] += 1


def on_negotiation(bin):
    bin.emit("create-offer", None, Gst.Promise.new_with_change_func(on_offer, bin, None))


def on_offer(promise, bin, _):
    # The offer is part of the reply, so a reference to the reply must be kept.
    reply = promise.get_reply()
    bin.emit("set-local-description", reply.get_value("offer"), Gst.Promise.new())


def on_gathering(bin, _):
    if bin.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
        return
    key = rest[0] if rest else None
    answer = report.post(url, key, bin.get_property("local-description").sdp.as_text())
    if answer is None:
        return
    _, message = GstSdp.SDPMessage.new_from_text(answer)
    description = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, message)
    bin.emit("set-remote-description", description, Gst.Promise.new())


def on_state(bin, _):
    report.seen["state"] = bin.get_property("connection-state").value_nick
    if report.seen["state"] in ("closed", "failed"):
        report.over.set()


def tick():
    # webrtcbin 1.22 does not report when its peer closes the connection. So a player ends when no packets have arrived for some time.
    global last, silent
    seen = report.seen["frames"] + report.seen["packets"]
    silent = silent + 1 if mode == "play" and seen == last and seen > 0 else 0
    last = seen
    if silent == 20:
        report.seen["state"] = "silent"
        report.over.set()
    report.show()
    if report.over.is_set():
        loop.quit()
    return True


last, silent = 0, 0
mode, url, *rest = sys.argv[1:]
pipeline = Gst.parse_launch(published(rest[1]) if mode == "publish" else "webrtcbin name=bin bundle-policy=max-bundle fakesrc num-buffers=1 ! fakesink")
bin = pipeline.get_by_name("bin")
bin.connect("notify::ice-gathering-state", on_gathering)
bin.connect("notify::connection-state", on_state)
bin.connect("pad-added", on_pad)
pipeline.set_state(Gst.State.PLAYING)
if mode == "play":
    add_player_sections(bin)
    on_negotiation(bin)
else:
    bin.connect("on-negotiation-needed", on_negotiation)
GLib.timeout_add(250, tick)
loop = GLib.MainLoop()
loop.run()
report.show()
pipeline.set_state(Gst.State.NULL)
