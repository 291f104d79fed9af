import { offer } from './offers.ts';

/* Players' offers, recorded from the programs in test/strangers. Most of the many H264 profiles in pion's offer are left out. */

export const pionWatching = offer(`
v=0
o=- 7586437989672370320 1795420175 IN IP4 0.0.0.0
s=-
t=0 0
a=fingerprint:FINGERPRINT
a=extmap-allow-mixed
a=group:BUNDLE 0 1
m=audio 9 UDP/TLS/RTP/SAVPF 111
c=IN IP4 0.0.0.0
a=setup:actpass
a=mid:0
a=ice-ufrag:PcKNyuOeQsLoxkMN
a=ice-pwd:YSlRQLSIRMVftauGxKISUqyBNPMGnOnu
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;useinbandfec=1
a=rtcp-fb:111 transport-cc 
a=extmap:1 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=recvonly
a=candidate:3492853157 1 udp 2130706431 192.168.1.20 55792 typ host
a=candidate:3492853157 2 udp 2130706431 192.168.1.20 55792 typ host
a=end-of-candidates
m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 102 121 125 107 108 109
c=IN IP4 0.0.0.0
a=setup:actpass
a=mid:1
a=ice-ufrag:PcKNyuOeQsLoxkMN
a=ice-pwd:YSlRQLSIRMVftauGxKISUqyBNPMGnOnu
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 goog-remb 
a=rtcp-fb:96 ccm fir
a=rtcp-fb:96 nack 
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 transport-cc 
a=rtpmap:97 rtx/90000
a=fmtp:97 apt=96
a=rtcp-fb:97 nack 
a=rtcp-fb:97 nack pli
a=rtcp-fb:97 transport-cc 
a=rtpmap:98 VP9/90000
a=fmtp:98 profile-id=0
a=rtcp-fb:98 goog-remb 
a=rtcp-fb:98 ccm fir
a=rtcp-fb:98 nack 
a=rtcp-fb:98 nack pli
a=rtcp-fb:98 transport-cc 
a=rtpmap:99 rtx/90000
a=fmtp:99 apt=98
a=rtcp-fb:99 nack 
a=rtcp-fb:99 nack pli
a=rtcp-fb:99 transport-cc 
a=rtpmap:100 VP9/90000
a=fmtp:100 profile-id=1
a=rtcp-fb:100 goog-remb 
a=rtcp-fb:100 ccm fir
a=rtcp-fb:100 nack 
a=rtcp-fb:100 nack pli
a=rtcp-fb:100 transport-cc 
a=rtpmap:101 rtx/90000
a=fmtp:101 apt=100
a=rtcp-fb:101 nack 
a=rtcp-fb:101 nack pli
a=rtcp-fb:101 transport-cc 
a=rtpmap:102 H264/90000
a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
a=rtcp-fb:102 goog-remb 
a=rtcp-fb:102 ccm fir
a=rtcp-fb:102 nack 
a=rtcp-fb:102 nack pli
a=rtcp-fb:102 transport-cc 
a=rtpmap:121 rtx/90000
a=fmtp:121 apt=102
a=rtcp-fb:121 nack 
a=rtcp-fb:121 nack pli
a=rtcp-fb:121 transport-cc 
a=rtpmap:125 H264/90000
a=fmtp:125 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
a=rtcp-fb:125 goog-remb 
a=rtcp-fb:125 ccm fir
a=rtcp-fb:125 nack 
a=rtcp-fb:125 nack pli
a=rtcp-fb:125 transport-cc 
a=rtpmap:107 rtx/90000
a=fmtp:107 apt=125
a=rtcp-fb:107 nack 
a=rtcp-fb:107 nack pli
a=rtcp-fb:107 transport-cc 
a=rtpmap:108 H264/90000
a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
a=rtcp-fb:108 goog-remb 
a=rtcp-fb:108 ccm fir
a=rtcp-fb:108 nack 
a=rtcp-fb:108 nack pli
a=rtcp-fb:108 transport-cc 
a=rtpmap:109 rtx/90000
a=fmtp:109 apt=108
a=rtcp-fb:109 nack 
a=rtcp-fb:109 nack pli
a=rtcp-fb:109 transport-cc 
a=extmap:1 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=recvonly
`);

/** aiortc numbers its payload types from 96 on, and does not support VP9. */
export const aiortcWatching = offer(`
v=0
o=- 4004408976 4004408976 IN IP4 0.0.0.0
s=-
t=0 0
a=group:BUNDLE 0 1
a=msid-semantic:WMS *
m=audio 34516 UDP/TLS/RTP/SAVPF 96 0 8
c=IN IP4 192.168.1.20
a=recvonly
a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=mid:0
a=msid:5a725d6d-1bbb-4812-859e-c87559231d65 9e56bb5a-88b2-4587-b7ee-91aeef3c3f7b
a=rtcp:9 IN IP4 0.0.0.0
a=rtcp-mux
a=ssrc:185004990 cname:5bcd79d3-d9f7-48b6-9fbe-4d1028e6a1d9
a=rtpmap:96 opus/48000/2
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=candidate:86c25eea33b97f9d75eeb46d5d4b3e7d 1 udp 2130706431 192.168.1.20 34516 typ host
a=end-of-candidates
a=ice-ufrag:Vdz5
a=ice-pwd:z8S1dOMT2l0WjGwbFmpbJB
a=fingerprint:FINGERPRINT
a=setup:actpass
m=video 42512 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
c=IN IP4 192.168.1.20
a=recvonly
a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=mid:1
a=msid:5a725d6d-1bbb-4812-859e-c87559231d65 74684183-fd0f-4d53-ab54-f0896299e9d7
a=rtcp:9 IN IP4 0.0.0.0
a=rtcp-mux
a=ssrc-group:FID 1282772667 4078066529
a=ssrc:1282772667 cname:5bcd79d3-d9f7-48b6-9fbe-4d1028e6a1d9
a=ssrc:4078066529 cname:5bcd79d3-d9f7-48b6-9fbe-4d1028e6a1d9
a=rtpmap:97 VP8/90000
a=rtcp-fb:97 nack
a=rtcp-fb:97 nack pli
a=rtcp-fb:97 goog-remb
a=rtpmap:98 rtx/90000
a=fmtp:98 apt=97
a=rtpmap:99 H264/90000
a=rtcp-fb:99 nack
a=rtcp-fb:99 nack pli
a=rtcp-fb:99 goog-remb
a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
a=rtpmap:100 rtx/90000
a=fmtp:100 apt=99
a=rtpmap:101 H264/90000
a=rtcp-fb:101 nack
a=rtcp-fb:101 nack pli
a=rtcp-fb:101 goog-remb
a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
a=rtpmap:102 rtx/90000
a=fmtp:102 apt=101
a=candidate:86c25eea33b97f9d75eeb46d5d4b3e7d 1 udp 2130706431 192.168.1.20 42512 typ host
a=end-of-candidates
a=ice-ufrag:2fad
a=ice-pwd:3TejWGeKcMOrqOBuNjGm7n
a=fingerprint:FINGERPRINT
a=setup:actpass
`);

export const libdatachannelWatching = offer(`
v=0
o=rtc 1592322166 0 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=group:LS 0 1
a=msid-semantic:WMS *
a=ice-options:ice2,trickle
a=fingerprint:FINGERPRINT
m=audio 36862 UDP/TLS/RTP/SAVPF 111
c=IN IP4 192.168.1.20
a=mid:0
a=recvonly
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1
a=setup:actpass
a=ice-ufrag:QsTm
a=ice-pwd:rULQf2hdB1cVADcGe49lAz
a=candidate:1 1 UDP 2114977791 192.168.1.20 36862 typ host
a=end-of-candidates
m=video 36862 UDP/TLS/RTP/SAVPF 96 98 102
c=IN IP4 192.168.1.20
a=mid:1
a=recvonly
a=rtcp-mux
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 goog-remb
a=rtpmap:98 VP9/90000
a=rtcp-fb:98 nack
a=rtcp-fb:98 nack pli
a=rtcp-fb:98 goog-remb
a=rtpmap:102 H264/90000
a=rtcp-fb:102 nack
a=rtcp-fb:102 nack pli
a=rtcp-fb:102 goog-remb
a=fmtp:102 profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1
a=setup:actpass
a=ice-ufrag:QsTm
a=ice-pwd:rULQf2hdB1cVADcGe49lAz
`);
