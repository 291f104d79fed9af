/*
 * SDP offers of different clients: Chromium 156 as recorded (shortened), the others according to their sources and documentation.
 * Lines end with `\n` here and with CRLF on the wire.
 */

const fingerprint =
  'sha-256 C1:B7:79:F6:DA:F0:34:62:42:5A:94:D1:03:68:49:38:D9:1C:CE:E2:77:8A:67:BC:C7:0B:DA:96:CA:84:9E:F2';
export const offer = (text: string): string =>
  `${text.trim().replaceAll('FINGERPRINT', fingerprint).split(/\r?\n/).join('\r\n')}\r\n`;

/** The offer of a page that plays a stream (recvonly). */
export const chromiumWatching = offer(`
v=0
o=- 4884528970438286448 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=extmap-allow-mixed
a=msid-semantic: WMS
m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:pvja
a=ice-pwd:AdGPyuF0opm9qiHUW9bvFZH6
a=ice-options:trickle
a=fingerprint:FINGERPRINT
a=setup:actpass
a=mid:0
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=recvonly
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:111 opus/48000/2
a=rtcp-fb:111 transport-cc
a=fmtp:111 minptime=10;useinbandfec=1
a=rtpmap:63 red/48000/2
a=fmtp:63 111/111
a=rtpmap:9 G722/8000
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:13 CN/8000
a=rtpmap:110 telephone-event/48000
a=rtpmap:126 telephone-event/8000
m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 35 36 102 103 104 107 108 109 45 46 118 119 120
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:pvja
a=ice-pwd:AdGPyuF0opm9qiHUW9bvFZH6
a=ice-options:trickle
a=fingerprint:FINGERPRINT
a=setup:actpass
a=mid:1
a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:13 urn:3gpp:video-orientation
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
a=recvonly
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 goog-remb
a=rtcp-fb:96 transport-cc
a=rtcp-fb:96 ccm fir
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtpmap:97 rtx/90000
a=fmtp:97 apt=96
a=rtpmap:98 VP9/90000
a=rtcp-fb:98 nack
a=rtcp-fb:98 nack pli
a=fmtp:98 profile-id=0
a=rtpmap:99 rtx/90000
a=fmtp:99 apt=98
a=rtpmap:35 VP9/90000
a=fmtp:35 profile-id=1
a=rtpmap:36 rtx/90000
a=fmtp:36 apt=35
a=rtpmap:102 H264/90000
a=rtcp-fb:102 nack
a=rtcp-fb:102 nack pli
a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
a=rtpmap:103 rtx/90000
a=fmtp:103 apt=102
a=rtpmap:104 H264/90000
a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
a=rtpmap:107 rtx/90000
a=fmtp:107 apt=104
a=rtpmap:108 H264/90000
a=rtcp-fb:108 nack
a=rtcp-fb:108 nack pli
a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
a=rtpmap:109 rtx/90000
a=fmtp:109 apt=108
a=rtpmap:45 AV1/90000
a=fmtp:45 level-idx=5;profile=0;tier=0
a=rtpmap:46 rtx/90000
a=fmtp:46 apt=45
a=rtpmap:118 red/90000
a=rtpmap:119 rtx/90000
a=fmtp:119 apt=118
a=rtpmap:120 ulpfec/90000
`);

/** The offer of a page that publishes camera and microphone, in one layer with retransmission. */
export const chromiumPublishing = chromiumWatching
  .replaceAll('a=recvonly', 'a=sendonly')
  .replace(
    'a=rtpmap:126 telephone-event/8000\r\n',
    'a=rtpmap:126 telephone-event/8000\r\na=ssrc:1505449300 cname:BCBV8t5apCPD3XLm\r\na=ssrc:1505449300 msid:- 85ec9021\r\n',
  )
  .concat(
    [
      'a=ssrc-group:FID 2231627014 632943048',
      'a=ssrc:2231627014 cname:BCBV8t5apCPD3XLm',
      'a=ssrc:2231627014 msid:- 217caa4c',
      'a=ssrc:632943048 cname:BCBV8t5apCPD3XLm',
      'a=ssrc:632943048 msid:- 217caa4c',
      '',
    ].join('\r\n'),
  );

export const firefoxWatching = offer(`
v=0
o=mozilla...THIS_IS_SDPARTA-99.0 6442586346297297530 0 IN IP4 0.0.0.0
s=-
t=0 0
a=fingerprint:FINGERPRINT
a=group:BUNDLE 0 1
a=ice-options:trickle
a=msid-semantic:WMS *
m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
c=IN IP4 0.0.0.0
a=recvonly
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
a=fmtp:101 0-15
a=ice-pwd:aa8bb12ed0bb0d4f67b5c5d4f9ed5f33
a=ice-ufrag:f5c1ae52
a=mid:0
a=rtcp-mux
a=rtpmap:109 opus/48000/2
a=rtpmap:9 G722/8000/1
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000/1
a=setup:actpass
m=video 9 UDP/TLS/RTP/SAVPF 120 124 121 125 126 127 97 98 123 122 119
c=IN IP4 0.0.0.0
a=recvonly
a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
a=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:5 urn:ietf:params:rtp-hdrext:toffset
a=extmap:6/recvonly http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
a=fmtp:97 profile-level-id=42e01f;level-asymmetry-allowed=1
a=fmtp:120 max-fs=12288;max-fr=60
a=fmtp:124 apt=120
a=fmtp:121 max-fs=12288;max-fr=60
a=fmtp:125 apt=121
a=fmtp:127 apt=126
a=fmtp:98 apt=97
a=fmtp:119 apt=122
a=ice-pwd:aa8bb12ed0bb0d4f67b5c5d4f9ed5f33
a=ice-ufrag:f5c1ae52
a=mid:1
a=rtcp-fb:120 nack
a=rtcp-fb:120 nack pli
a=rtcp-fb:120 ccm fir
a=rtcp-fb:120 goog-remb
a=rtcp-fb:120 transport-cc
a=rtcp-fb:126 nack
a=rtcp-fb:126 nack pli
a=rtcp-fb:126 ccm fir
a=rtcp-fb:126 goog-remb
a=rtcp-fb:126 transport-cc
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:120 VP8/90000
a=rtpmap:124 rtx/90000
a=rtpmap:121 VP9/90000
a=rtpmap:125 rtx/90000
a=rtpmap:126 H264/90000
a=rtpmap:127 rtx/90000
a=rtpmap:97 H264/90000
a=rtpmap:98 rtx/90000
a=rtpmap:123 ulpfec/90000
a=rtpmap:122 red/90000
a=rtpmap:119 rtx/90000
a=setup:actpass
`);

/** libdatachannel's offer as OBS Studio makes it: H264 and Opus, media in mids 0 and 1. */
export const obsPublishing = offer(`
v=0
o=rtc 3413194211 0 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=group:LS 0 1
a=msid-semantic:WMS *
a=ice-options:ice2,trickle
a=fingerprint:FINGERPRINT
m=audio 57127 UDP/TLS/RTP/SAVPF 111
c=IN IP4 192.168.1.20
a=mid:0
a=sendonly
a=ssrc:1893467322 cname:obs8kJhsQpl
a=ssrc:1893467322 msid:obs8kJhsQpl obs8kJhsQpl-audio
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1
a=setup:actpass
a=ice-ufrag:eN6h
a=ice-pwd:eRVMF6M7Kj1nIL9Hoxq1Xn
a=candidate:1 1 UDP 2114977791 192.168.1.20 57127 typ host
a=end-of-candidates
m=video 57127 UDP/TLS/RTP/SAVPF 96
c=IN IP4 192.168.1.20
a=mid:1
a=sendonly
a=ssrc:1893467323 cname:obs8kJhsQpl
a=ssrc:1893467323 msid:obs8kJhsQpl obs8kJhsQpl-video
a=rtcp-mux
a=rtpmap:96 H264/90000
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 goog-remb
a=fmtp:96 profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1
a=setup:actpass
a=ice-ufrag:eN6h
a=ice-pwd:eRVMF6M7Kj1nIL9Hoxq1Xn
`);

/** Simulcast, since OBS Studio 31: rid 0 is the full size. */
export const obsSimulcast = obsPublishing.replace(
  'a=rtpmap:96 H264/90000',
  [
    'a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid',
    'a=extmap:2 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
    'a=rid:0 send',
    'a=rid:1 send',
    'a=rid:2 send',
    'a=simulcast:send 0;1;2',
    'a=rtpmap:96 H264/90000',
  ].join('\r\n'),
);

/** webrtcbin's offer as simple-whip-client makes it. */
export const gstreamerPublishing = offer(`
v=0
o=- 7464386322389246337 0 IN IP4 0.0.0.0
s=-
t=0 0
a=ice-options:trickle
a=group:BUNDLE audio0 video1
m=audio 9 UDP/TLS/RTP/SAVPF 100
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:K4Wpyx3WcD6wYd6CBAgVxsJiDR0PxhkB
a=ice-pwd:dVWBDtqDPH9GGsUpILWmR2UE0J5ivu0z
a=rtcp-mux
a=rtcp-rsize
a=sendonly
a=rtpmap:100 OPUS/48000/2
a=rtcp-fb:100 nack pli
a=rtcp-fb:100 transport-cc
a=fmtp:100 sprop-maxcapturerate=48000;sprop-stereo=0
a=ssrc:3484078952 msid:user3339@host-8d5d6e8f webrtctransceiver0
a=ssrc:3484078952 cname:user3339@host-8d5d6e8f
a=mid:audio0
a=fingerprint:FINGERPRINT
m=video 0 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:K4Wpyx3WcD6wYd6CBAgVxsJiDR0PxhkB
a=ice-pwd:dVWBDtqDPH9GGsUpILWmR2UE0J5ivu0z
a=bundle-only
a=rtcp-mux
a=rtcp-rsize
a=sendonly
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 transport-cc
a=framerate:30
a=ssrc:1234510221 msid:user3339@host-8d5d6e8f webrtctransceiver1
a=ssrc:1234510221 cname:user3339@host-8d5d6e8f
a=mid:video1
a=fingerprint:FINGERPRINT
`);

/** An offer by webrtcbin to play a stream, with payload types chosen by the player. */
export const gstreamerWatching = offer(`
v=0
o=- 1183914023842001423 0 IN IP4 0.0.0.0
s=-
t=0 0
a=ice-options:trickle
a=group:BUNDLE video0 audio1
m=video 9 UDP/TLS/RTP/SAVPF 101 102
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:K4Wpyx3WcD6wYd6CBAgVxsJiDR0PxhkB
a=ice-pwd:dVWBDtqDPH9GGsUpILWmR2UE0J5ivu0z
a=rtcp-mux
a=rtcp-rsize
a=recvonly
a=rtpmap:101 H264/90000
a=rtcp-fb:101 nack
a=rtcp-fb:101 nack pli
a=fmtp:101 packetization-mode=1;profile-level-id=42e01f
a=rtpmap:102 VP8/90000
a=rtcp-fb:102 nack
a=mid:video0
a=fingerprint:FINGERPRINT
m=audio 9 UDP/TLS/RTP/SAVPF 97
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:K4Wpyx3WcD6wYd6CBAgVxsJiDR0PxhkB
a=ice-pwd:dVWBDtqDPH9GGsUpILWmR2UE0J5ivu0z
a=rtcp-mux
a=rtcp-rsize
a=recvonly
a=rtpmap:97 OPUS/48000/2
a=mid:audio1
a=fingerprint:FINGERPRINT
`);
