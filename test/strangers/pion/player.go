// A WHEP player on pion: player <url>. ../README.md describes its output.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v3"
)

type report struct {
	State   string `json:"state"`
	Status  int    `json:"status"`
	Codec   string `json:"codec"`
	Frames  int    `json:"frames"`
	Packets int    `json:"packets"`
}

var (
	lock sync.Mutex
	seen report
	over = make(chan struct{})
	once sync.Once
)

func main() {
	connection, err := webrtc.NewPeerConnection(webrtc.Configuration{})
	check(err)
	for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeAudio, webrtc.RTPCodecTypeVideo} {
		_, err = connection.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
		check(err)
	}
	connection.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { receive(connection, track) })
	connection.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		change(func() { seen.State = state.String() })
		if state == webrtc.PeerConnectionStateClosed || state == webrtc.PeerConnectionStateFailed {
			end()
		}
	})
	connect(connection, os.Args[1])
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); end() }()
	for isOver := false; !isOver; {
		select {
		case <-over:
			isOver = true
		case <-time.After(250 * time.Millisecond):
		}
		change(func() { line, _ := json.Marshal(seen); fmt.Println(string(line)) })
	}
	_ = connection.Close()
}

func connect(connection *webrtc.PeerConnection, url string) {
	offer, err := connection.CreateOffer(nil)
	check(err)
	gathered := webrtc.GatheringCompletePromise(connection)
	check(connection.SetLocalDescription(offer))
	<-gathered
	response, err := http.Post(url, "application/sdp", bytes.NewBufferString(connection.LocalDescription().SDP))
	check(err)
	answer, err := io.ReadAll(response.Body)
	check(err)
	change(func() { seen.Status = response.StatusCode })
	if response.StatusCode != http.StatusCreated {
		fmt.Fprintln(os.Stderr, string(answer))
		end()
		return
	}
	check(connection.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(answer)}))
}

// receive counts audio packets and complete video frames.
func receive(connection *webrtc.PeerConnection, track *webrtc.TrackRemote) {
	if track.Kind() == webrtc.RTPCodecTypeVideo {
		change(func() { seen.Codec = track.Codec().MimeType })
		_ = connection.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(track.SSRC())}})
	}
	unpack := depacketizer(track.Codec().MimeType)
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if track.Kind() == webrtc.RTPCodecTypeAudio {
			change(func() { seen.Packets++ })
		} else if isLastOfFrame(unpack, packet) {
			change(func() { seen.Frames++ })
		}
	}
}

func isLastOfFrame(unpack rtp.Depacketizer, packet *rtp.Packet) bool {
	if unpack == nil || len(packet.Payload) == 0 {
		return false
	}
	_, err := unpack.Unmarshal(packet.Payload)
	return err == nil && packet.Marker
}

func depacketizer(mimeType string) rtp.Depacketizer {
	switch mimeType {
	case webrtc.MimeTypeVP8:
		return &codecs.VP8Packet{}
	case webrtc.MimeTypeVP9:
		return &codecs.VP9Packet{}
	case webrtc.MimeTypeH264:
		return &codecs.H264Packet{}
	}
	return nil
}

func change(write func()) {
	lock.Lock()
	defer lock.Unlock()
	write()
}

func end() { once.Do(func() { close(over) }) }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
