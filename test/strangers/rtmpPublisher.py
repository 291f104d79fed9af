"""An RTMP publisher on GStreamer's rtmp2sink: publish <url> <key> H264."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from report import Report  # noqa: E402

_, url, key, *_ = sys.argv[1:]
report = Report()
Gst.init(None)
pipeline = Gst.parse_launch(
    "flvmux name=mux streamable=true ! rtmp2sink name=sink"
    " videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=15/1 ! videoconvert"
    " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! h264parse ! queue ! mux."
    " audiotestsrc is-live=true ! audioconvert ! avenc_aac ! aacparse ! queue ! mux."
)
pipeline.get_by_name("sink").set_property("location", f"{url}/{key}")
pipeline.set_state(Gst.State.PLAYING)
while not report.over.wait(0.25):
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        print(message.parse_error(), file=sys.stderr)
        break
pipeline.set_state(Gst.State.NULL)
