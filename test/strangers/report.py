"""The report that the Python WebRTC clients print as a line of JSON every quarter of a second.

All Python clients also use it to notice the end of their standard input, at which they end.
"""

import json
import os
import sys
import threading
import urllib.error
import urllib.request


class Report:
    def __init__(self):
        self.seen = {"state": "new", "status": 0, "codec": "", "frames": 0, "packets": 0}
        self.over = threading.Event()
        threading.Thread(target=self._wait_for_end, daemon=True).start()

    def _wait_for_end(self):
        while os.read(0, 1024):
            pass
        self.over.set()

    def show(self):
        print(json.dumps(self.seen), flush=True)

    def post(self, url, key, offer):
        """Sends the offer and returns the server's answer. If the server refuses it, returns None and ends the program."""
        headers = {"Content-Type": "application/sdp"}
        if key:
            headers["Authorization"] = "Bearer " + key
        request = urllib.request.Request(url, offer.encode(), headers)
        try:
            with urllib.request.urlopen(request) as response:
                self.seen["status"] = response.status
                return response.read().decode()
        except urllib.error.HTTPError as error:
            self.seen["status"] = error.code
            print(error.read().decode(), file=sys.stderr)
            self.over.set()
            return None
